import type { Capacity } from './capacity.js';
import type { Target } from './target.js';
import { type Tempo, WARM_UP_SECONDS } from './tempo.js';
import { Measured, underLoad } from './under-load.js';

export interface BestFixed {
  readonly limit: number;
  /** The load under which it was looked for, times the capacity. */
  readonly times: number;
  readonly tried: ReadonlyMap<number, Measured>;
}

/**
 * The lowest of the fixed limits with the best goodput, found by trying them in turns under the load. Above the knee all have
 * the same goodput, and a latency that grows with them: so whoever is compared with the lowest is compared with the best.
 */
export async function bestFixed(
  target: Target,
  { knee, perSecond }: Capacity,
  times: number,
  tempo: Tempo,
): Promise<BestFixed> {
  const tried = new Map(limitsAround(knee, target).map((limit) => [limit, new Measured()]));
  const client = await target.open(target.mostLimit);
  try {
    for (let round = 0; round < tempo.sweepRounds; round++) {
      for (const [limit, measured] of tried) {
        client.limiter!.resize(limit);
        const plan = { warmUpSeconds: WARM_UP_SECONDS, seconds: tempo.sweepSeconds, seed: round };
        measured.add(await underLoad(client, { ...plan, perSecond: times * perSecond }));
      }
    }
  } finally {
    await client.close();
  }
  const best = Math.max(...[...tried.values()].map(({ goodput }) => goodput));
  const limit = [...tried].find(([, { goodput }]) => goodput >= best * (1 - SAME))![0];
  return { limit, times, tried };
}

/** Of two limits with the same goodput to this share, the lower is the better. */
const SAME = 0.02;

/** From just below the knee, which is in calls, to three times that, ascending. */
function limitsAround(knee: number, { operationsPerCall = 1, mostLimit: most }: Target): number[] {
  const wanted = [0.8, 1, 1.2, 1.5, 2, 3].map((times) => Math.round(times * knee));
  // Where one or two keep the server busy, chance asks for many times that.
  const limits = knee < 6 ? [1, 2, 3, 4, 6, 9, 13, 20] : wanted;
  const permits = limits.map((limit) => Math.min(Math.max(limit, 1) * operationsPerCall, most));
  return [...new Set(permits)].sort((a, b) => a - b);
}
