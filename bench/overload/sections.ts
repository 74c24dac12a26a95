import { duration, perSecond } from '../demo/format.js';
import { type BestFixed, bestFixed } from './best-fixed.js';
import { capacityOf } from './capacity.js';
import { compareAtLoad } from './compare-loads.js';
import type { Comparison } from './comparison.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import type { OpenClient, Target } from './target.js';
import type { Tempo } from './tempo.js';

/** A part of the report: one server, or one scenario. */
export interface Section {
  readonly kind: 'server' | 'scenario';
  readonly title: string;
  /** What one should know to read the table, a paragraph each. */
  readonly notes: readonly string[];
  /** The head of the first column. */
  readonly conditions: string;
  readonly comparisons: readonly Comparison[];
  /** Those that the goals are for. */
  readonly judged: readonly Comparison[];
}

export interface Telling {
  readonly tempo: Tempo;
  readonly onProgress: (what: string) => void;
  readonly onHistory: (client: OpenClient) => void;
}

/** One server under all loads, with all contenders. */
export async function serverSection(
  startTarget: () => Promise<Target>,
  { tempo, onProgress, onHistory }: Telling,
): Promise<Section> {
  await using target = await startTarget();
  onProgress(`${target.name}: capacity`);
  const capacity = await capacityOf(target, tempo.capacitySeconds);
  onProgress(`${target.name}: ${perSecond(capacity.perSecond)}; looking for the best fixed limit`);
  const sweeps = new Map<number, BestFixed>();
  for (const times of tempo.loads.map(sweptAt)) {
    if (!sweeps.has(times)) sweeps.set(times, await bestFixed(target, capacity, times, tempo));
  }
  const overloaded = sweeps.get(Math.max(...sweeps.keys()))!;
  const comparisons: Comparison[] = [];
  for (const times of tempo.loads) {
    const best = sweeps.get(sweptAt(times))!.limit;
    onProgress(`${target.name}: ${times} times the capacity, best fixed limit ${best}`);
    const limits = { best, half: Math.max(1, Math.round(overloaded.limit / 2)), four: 4 * overloaded.limit };
    const load = { times, perSecond: times * capacity.perSecond };
    comparisons.push(await compareAtLoad(target, limits, load, tempo, onHistory));
  }
  return {
    kind: 'server',
    title: target.name,
    notes: [
      `The workload: ${target.bound}. Capacity: ${perSecond(capacity.perSecond)}.`,
      ...[...sweeps.values()].map(sweepNote),
    ],
    conditions: 'load',
    comparisons,
    judged: comparisons,
  };
}

export async function scenarioSection(scenario: Scenario, telling: Telling): Promise<Section> {
  const { tempo, onProgress, onHistory } = telling;
  await using stage = await scenario.start();
  onProgress(`${scenario.title}: ${stage.target.name}`);
  const { capacity, beginnings, settled } = await runScenario(stage, tempo, onHistory);
  return {
    kind: 'scenario',
    title: `${scenario.title}: ${stage.target.name}`,
    notes: [`${stage.shows} Capacity at first: ${perSecond(capacity)}.`],
    conditions: 'phase',
    comparisons: settled.flatMap((each, index) => [beginnings[index]!, each]),
    judged: settled,
  };
}

function sweepNote({ times, limit, tried }: BestFixed): string {
  const each = [...tried].map(
    ([tried, { goodput, p99 }]) => `${tried}: ${perSecond(goodput)}, ${duration(p99)}`,
  );
  return `Fixed limits tried at ${times}x, goodput and p99: ${each.join('; ')}. The lowest within 2 % of the best goodput is the best: **${limit}**.`;
}

/** The load, times the capacity, under which the best limit for this one is looked for: all above three are alike, and all that fit. */
function sweptAt(times: number): number {
  return Math.min(3, Math.max(1, times));
}
