import type { SampleWindow } from './controller.js';
import { answersIn, isOutage } from './window-figures.js';

/**
 * Puts windows in a row at one limit together until they hold {@link ENOUGH} answers to judge by: with a handful, every
 * figure is chance. After five seconds, or three latencies, it takes what there is; an outage at once. What came before a
 * standstill's end, or its beginning, is left out.
 */
export class WindowPool {
  #pooled: SampleWindow | undefined;
  /** Of the last window that had answers. */
  #latency = Number.POSITIVE_INFINITY;

  /** Whether operations take so long that a window without answers is nothing special, and belongs to its neighbours. */
  spans({ startedAt, endedAt }: SampleWindow): boolean {
    return this.#latency > (endedAt - startedAt) / 4;
  }

  /** @returns `undefined` while there are too few */
  add(window: SampleWindow): SampleWindow | undefined {
    const before = this.#pooled;
    const alone =
      before === undefined ||
      before.limit !== window.limit ||
      (!this.spans(window) && isOtherTime(before, window));
    const pooled = alone ? window : joined(before, window);
    if (window.meanLatency > 0) this.#latency = window.meanLatency;
    const long = pooled.endedAt - pooled.startedAt >= Math.max(LONGEST_MS, 3 * (pooled.meanLatency || 0));
    if (answersIn(pooled) < ENOUGH && !long && !isOutage(pooled)) {
      this.#pooled = pooled;
      return undefined;
    }
    this.#pooled = undefined;
    return pooled;
  }
}

/** Whether the work has changed so much in between that together they would tell of neither time. */
function isOtherTime(before: SampleWindow, now: SampleWindow): boolean {
  const ratio = now.workRate / before.workRate;
  const expected = now.succeeded / ratio;
  return (ratio > OTHER && now.succeeded > FEW) || (ratio < 1 / OTHER && expected > FEW * OTHER);
}

/** Percentiles are those of the later one: they can't be put together. */
function joined(a: SampleWindow, b: SampleWindow): SampleWindow {
  const sum = (
    key: 'succeeded' | 'failed' | 'overloaded' | 'ignored' | 'rejected' | 'admitted' | 'stalledMs',
  ) => a[key] + b[key];
  const ofTime = (before: number, now: number) =>
    (before * (a.endedAt - a.startedAt) + now * (b.endedAt - b.startedAt)) /
    (a.endedAt - a.startedAt + b.endedAt - b.startedAt);
  const byTime = (key: 'meanInFlight' | 'workRate') => ofTime(a[key], b[key]);
  const bySuccess = (key: 'meanLatency' | 'meanPoolWait') => {
    if (a.succeeded === 0 || Number.isNaN(a[key])) return b[key];
    if (b.succeeded === 0 || Number.isNaN(b[key])) return a[key];
    return (a[key] * a.succeeded + b[key] * b.succeeded) / (a.succeeded + b.succeeded);
  };
  return {
    ...b,
    startedAt: a.startedAt,
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    overloaded: sum('overloaded'),
    ignored: sum('ignored'),
    rejected: sum('rejected'),
    admitted: sum('admitted'),
    maxInFlight: Math.max(a.maxInFlight, b.maxInFlight),
    meanInFlight: byTime('meanInFlight'),
    fullShare:
      a.fullShare === undefined || b.fullShare === undefined ? undefined : ofTime(a.fullShare, b.fullShare),
    meanLatency: bySuccess('meanLatency'),
    meanPoolWait: bySuccess('meanPoolWait'),
    workRate: byTime('workRate'),
    stalledMs: sum('stalledMs'),
  };
}

const ENOUGH = 60;
const LONGEST_MS = 5000;
/** Times the work, from which on it is another time. */
const OTHER = 3;
/** Answers that may be there by chance. */
const FEW = 10;
