import type { SampleWindow } from '../controller.js';

/** A healthy window of half a second at a limit of 20, but for these figures and what follows from them. */
export function windowOf(figures: Partial<SampleWindow> = {}): SampleWindow {
  const {
    startedAt = 0,
    endedAt = startedAt + 500,
    limit = 20,
    meanLatency = 10,
    meanPoolWait = 0,
  } = figures;
  const { succeeded = 500, failed = 0, overloaded = 0, ignored = 0 } = figures;
  return {
    startedAt,
    endedAt,
    limit,
    succeeded,
    failed,
    overloaded,
    ignored,
    rejected: 0,
    admitted: succeeded + failed + overloaded + ignored,
    maxInFlight: limit,
    meanInFlight: limit / 2,
    meanLatency,
    p50: meanLatency,
    p95: 2 * meanLatency,
    p99: 3 * meanLatency,
    meanPoolWait,
    p95PoolWait: 2 * meanPoolWait,
    workRate: (succeeded * 1000) / (endedAt - startedAt),
    stalledMs: 0,
    ...figures,
  };
}
