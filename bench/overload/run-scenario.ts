import { bestFixed } from './best-fixed.js';
import { capacityOf } from './capacity.js';
import type { Comparison, Row } from './comparison.js';
import type { Stage } from './scenario.js';
import type { OpenClient } from './target.js';
import type { Tempo } from './tempo.js';
import { type Measured, underLoad } from './under-load.js';

export interface ScenarioResult {
  /** In the first phase, per second. */
  readonly capacity: number;
  /** How each phase began, which includes the way to a new limit. */
  readonly beginnings: readonly Comparison[];
  /** What followed. */
  readonly settled: readonly Comparison[];
}

/** What one client showed in one phase. */
interface Passage {
  readonly beginning: Measured;
  readonly settled: Measured;
}

/**
 * Through all phases without a break: the best fixed limit of each phase, set at the very moment it begins by somebody who
 * knows; the first phase's best limit, left alone; and the adaptive one.
 */
export async function runScenario(
  stage: Stage,
  tempo: Tempo,
  onHistory: (client: OpenClient) => void,
): Promise<ScenarioResult> {
  const { target, phases, times } = stage;
  const { limits, perSecond } = await bestLimits(stage, tempo);
  const [firstLimit] = limits as [number];
  const moves = limits.some((limit) => limit !== firstLimit);
  const pass = (client: OpenClient) => passThrough(stage, client, perSecond, tempo);

  const best = await withClient(target.open(firstLimit), (client) =>
    passThrough(stage, client, perSecond, tempo, limits),
  );
  const left = moves ? await withClient(target.open(firstLimit), pass) : undefined;
  const adaptive = await withClient(target.open('adaptive'), async (client) => {
    const passages = await pass(client);
    onHistory(client);
    return passages;
  });

  const compare = (stretch: keyof Passage, words: string): Comparison[] =>
    phases.flatMap(({ name }, index) => {
      const known = best[index]?.[stretch];
      const own = adaptive[index]?.[stretch];
      if (known === undefined || own === undefined) return [];
      const rows: Row[] = [{ contender: `best fixed: ${limits[index]}`, measured: known }];
      const stale = left?.[index]?.[stretch];
      if (stale !== undefined && limits[index] !== firstLimit) {
        rows.push({ contender: `left at ${firstLimit}`, measured: stale });
      }
      rows.push({ contender: 'adaptive', measured: own });
      return [{ condition: `${name}, ${words}`, best: known, adaptive: own, rows }];
    });
  return {
    capacity: perSecond / times,
    beginnings: compare('beginning', `first ${tempo.settleSeconds} s`),
    settled: compare('settled', 'then'),
  };
}

/** Found in each phase by trying, under the load that the first phase's capacity makes. */
async function bestLimits({ target, times, phases }: Stage, tempo: Tempo) {
  const limits: number[] = [];
  let perSecond = 0;
  for (const { like, enter } of phases) {
    if (like !== undefined) {
      limits.push(limits[like]!);
      continue;
    }
    await enter();
    const capacity = await capacityOf(target, tempo.capacitySeconds);
    perSecond ||= times * capacity.perSecond;
    const { limit } = await bestFixed(target, capacity, perSecond / capacity.perSecond, tempo);
    limits.push(limit);
  }
  return { limits, perSecond };
}

/** @param limits to be set as each phase begins, if somebody does */
async function passThrough(
  { phases }: Stage,
  client: OpenClient,
  perSecond: number,
  { settleSeconds, phaseSeconds }: Tempo,
  limits?: readonly number[],
): Promise<(Passage | undefined)[]> {
  const stretch = (seconds: number, seed: number) =>
    underLoad(client, { perSecond, warmUpSeconds: 0, seconds, seed });
  const passages: (Passage | undefined)[] = [];
  for (const [index, { enter, idleSeconds }] of phases.entries()) {
    await enter();
    if (limits !== undefined) client.limiter!.resize(limits[index]!);
    if (idleSeconds !== undefined) {
      await stretch(idleSeconds, index);
      passages.push(undefined);
    } else {
      const beginning = await stretch(settleSeconds, 10 + index);
      passages.push({ beginning, settled: await stretch(phaseSeconds, 20 + index) });
    }
  }
  return passages;
}

async function withClient<T>(
  opened: Promise<OpenClient>,
  use: (client: OpenClient) => Promise<T>,
): Promise<T> {
  const client = await opened;
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
