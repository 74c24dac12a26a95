import { duration, perSecond } from '../demo/format.js';
import { bestFixed } from './best-fixed.js';
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
  const best = await bestFixed(target, capacity, SWEPT_AT * capacity.perSecond, tempo);
  const comparisons: Comparison[] = [];
  for (const times of tempo.loads) {
    onProgress(`${target.name}: ${times} times the capacity, best fixed limit ${best.limit}`);
    const load = { times, perSecond: times * capacity.perSecond };
    comparisons.push(await compareAtLoad(target, best, load, tempo, onHistory));
  }
  const tried = [...best.tried].map(
    ([limit, { goodput, p99 }]) => `${limit}: ${perSecond(goodput)}, ${duration(p99)}`,
  );
  return {
    kind: 'server',
    title: target.name,
    notes: [
      `The workload: ${target.bound}. Capacity: ${perSecond(capacity.perSecond)}.`,
      `Fixed limits tried at ${SWEPT_AT}x, goodput and p99: ${tried.join('; ')}. The lowest within 2 % of the best goodput is the best: **${best.limit}**.`,
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
  const { capacity, comparisons } = await runScenario(stage, tempo, onHistory);
  return {
    kind: 'scenario',
    title: `${scenario.title}: ${stage.target.name}`,
    notes: [`${stage.shows} Capacity at first: ${perSecond(capacity)}.`],
    conditions: 'phase',
    comparisons: comparisons.map(({ comparison }) => comparison),
    judged: comparisons.filter(({ judged }) => judged).map(({ comparison }) => comparison),
  };
}

/** Times the capacity. */
const SWEPT_AT = 3;
