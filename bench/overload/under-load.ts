import { isBackpressureError } from 'floodgate';
import { poissonArrivals } from '../load/arrivals.js';
import { LoadFigures } from '../load/load-figures.js';
import { openLoop } from '../load/open-loop.js';
import type { OpenClient } from './target.js';

export interface LoadPlan {
  readonly perSecond: number;
  /** Before what is measured. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Of the arrivals: the same for every contender. */
  readonly seed: number;
}

/** A caller is gone after this time: what is answered later is no goodput. As in the demo. */
export const DEADLINE_MS = 1000;

/** What a stretch of load showed; stretches can be added up. */
export class Measured {
  readonly figures = new LoadFigures();
  seconds = 0;
  /** Of the limits in force; infinite without a limiter. */
  leastLimit = Number.POSITIVE_INFINITY;
  mostLimit = Number.NEGATIVE_INFINITY;

  /** Answers in time, per second. */
  get goodput(): number {
    return this.figures.inTime / this.seconds;
  }

  /** Milliseconds, late answers included. */
  get p99(): number | undefined {
    return this.figures.latency.percentile(0.99);
  }

  /** How late the load generator was, in milliseconds: more than a few say that the machine was busy with something else. */
  get lagP99(): number {
    return this.figures.lag.percentile(0.99) ?? 0;
  }

  /** Of what was offered; at most all, as those who give up may have come before the stretch. */
  share(part: 'rejected' | 'timedOut' | 'failed'): number {
    return this.figures.offered === 0 ? 0 : Math.min(1, this.figures[part] / this.figures.offered);
  }

  sawLimit(limit: number): void {
    this.leastLimit = Math.min(this.leastLimit, limit);
    this.mostLimit = Math.max(this.mostLimit, limit);
  }

  add(other: Measured): void {
    this.figures.add(other.figures);
    this.seconds += other.seconds;
    this.leastLimit = Math.min(this.leastLimit, other.leastLimit);
    this.mostLimit = Math.max(this.mostLimit, other.mostLimit);
  }
}

/** Open loop: calls at random times that are fixed before, whatever becomes of those before them. */
export async function underLoad(client: OpenClient, plan: LoadPlan): Promise<Measured> {
  const { call, limiter } = client;
  const measured = new Measured();
  const fromMs = plan.warmUpSeconds * 1000;
  const toMs = fromMs + plan.seconds * 1000;
  const { recorder } = await openLoop({
    arrivals: poissonArrivals(plan.perSecond, plan.seed),
    seconds: toMs / 1000,
    call,
    isRejection: isBackpressureError,
    deadlineMs: DEADLINE_MS,
    settleMs: 0,
    sliceMs: SLICE_MS,
    limit: () => limiter?.limit,
    onTick({ elapsedMs }) {
      if (limiter !== undefined && elapsedMs >= fromMs) measured.sawLimit(limiter.limit);
    },
  });
  measured.figures.add(recorder.between(fromMs, toMs));
  measured.seconds = plan.seconds;
  return measured;
}

const SLICE_MS = 100;
