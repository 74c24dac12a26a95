import type { SampleWindow } from './controller.js';
import { responseTime } from './response-time.js';
import { longAnswers } from './window-figures.js';

/** Knows windows that show the limit before: operations take long against them, and they began before a change could show. */
export class Settling {
  #begunAt: number | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;
  #late = 0;

  isOfTheLimitBefore(window: SampleWindow): boolean {
    const { startedAt, endedAt } = window;
    const latency = longAnswers(window);
    this.#begunAt ??= this.#changedAt = startedAt;
    const length = endedAt - startedAt;
    // The very first began with nothing in flight.
    if (startedAt === this.#begunAt && length < 5 * responseTime(window)) return true;
    return length < 4 * latency && startedAt < this.#changedAt + 0.9 * latency;
  }

  changed(at: number): void {
    this.#changedAt = at;
  }

  /** Its answers took longer than itself, as they do at the end of a standstill; but what lasts is slowness. */
  isOfAnEarlierTime({ startedAt, endedAt, meanLatency }: SampleWindow): boolean {
    this.#late = meanLatency > endedAt - startedAt ? this.#late + 1 : 0;
    return this.#late > 0 && this.#late <= LATE_AT_MOST;
  }
}

/** Whether a window's limit is not the one that was decided, rounded or not. */
export function isElsewhere(limit: number, decided: number): boolean {
  return Math.abs(Math.log(limit / decided)) > 0.1 && Math.abs(limit - decided) > 1;
}

/** Windows in a row. */
const LATE_AT_MOST = 4;
