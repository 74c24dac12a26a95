import { LatencyHistogram } from './latency-histogram.js';
import { type LoadClock, systemClock } from './load-clock.js';

export interface ClosedLoopOptions {
  readonly callers: number;
  readonly seconds: number;
  /** Run before, and not counted: connections are opened, caches filled, code compiled. */
  readonly warmUpSeconds: number;
  readonly call: () => PromiseLike<unknown>;
  readonly onAnswer?: (elapsedMs: number) => void;
  readonly signal?: AbortSignal;
  readonly clock?: LoadClock;
}

export interface ClosedLoopResult {
  readonly perSecond: number;
  /** Answers of each second that was counted. */
  readonly bySecond: readonly number[];
  readonly latency: LatencyHistogram;
}

/**
 * What a server does for a fixed number of callers that each wait for their answer before they ask again: its capacity,
 * once there are as many of them as it can serve at a time. The first call that fails ends it.
 */
export async function closedLoop(options: ClosedLoopOptions): Promise<ClosedLoopResult> {
  const { call, onAnswer, signal, clock = systemClock } = options;
  const latency = new LatencyHistogram();
  const countFrom = clock.now() + options.warmUpSeconds * 1000;
  const end = countFrom + options.seconds * 1000;
  const bySecond = new Array<number>(Math.ceil(options.seconds)).fill(0);
  let failed = false;

  const caller = async () => {
    for (;;) {
      const askedAt = clock.now();
      if (askedAt >= end || failed || signal?.aborted) return;
      await call();
      const answeredAt = clock.now();
      if (answeredAt >= countFrom && answeredAt < end) {
        latency.record(answeredAt - askedAt);
        bySecond[Math.floor((answeredAt - countFrom) / 1000)]!++;
      }
      onAnswer?.(answeredAt - countFrom + options.warmUpSeconds * 1000);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.callers }, caller));
  } finally {
    failed = true;
  }
  return { perSecond: latency.count / options.seconds, bySecond, latency };
}
