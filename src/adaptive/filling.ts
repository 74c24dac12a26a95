import type { SampleWindow } from './controller.js';
import type { ResponseNoise } from './response-noise.js';
import { isFilling } from './window-figures.js';
import { slopeBetween, type WorkYield } from './work-yield.js';

/**
 * Watches a database fill up below a limit that is far too high: what is in flight grows, and the work does not. It goes on
 * to the limit, and what has been let in by then takes long to drain. What was in flight before did as much work.
 *
 * It shows from one window to the next, or, where the load is hardly more than the database can do, over several: then what
 * is in flight goes on growing by a part of the work, which a way that has become longer does for a moment only.
 */
export class Filling {
  readonly #noise: ResponseNoise;
  #before: SampleWindow | undefined;
  /** Where it began to grow. */
  #first: SampleWindow | undefined;
  /** Windows since then. */
  #windows = 0;

  constructor(noise: ResponseNoise) {
    this.#noise = noise;
  }

  /** @returns a limit that is enough, where it is far below the one that there is */
  onWindow(window: SampleWindow): number | undefined {
    const before = this.#before;
    this.#before = window.rejected === 0 && window.succeeded >= FEW ? window : undefined;
    const enough = this.#filledSince(before, window) ?? this.#growingSince(before, window);
    if (enough !== undefined) this.#first = undefined;
    return enough;
  }

  #filledSince(before: SampleWindow | undefined, window: SampleWindow): number | undefined {
    if (before === undefined || before.succeeded < ENOUGH || window.succeeded < ENOUGH) return undefined;
    return isFilling({ ...window, rejected: 0 }) ? this.#enough(before, window, PLAINLY) : undefined;
  }

  #growingSince(before: SampleWindow | undefined, window: SampleWindow): number | undefined {
    if (before === undefined || window.rejected > 0 || window.meanInFlight < 0.9 * before.meanInFlight) {
      this.#first = window;
      this.#windows = 0;
      return undefined;
    }
    this.#first ??= before;
    const first = this.#first;
    if (++this.#windows < LASTING || !isGrowing(before, window) || !isGrowing(first, window))
      return undefined;
    return this.#enough(first, window, DOUBLE);
  }

  #enough(from: SampleWindow, to: SampleWindow, times: number): number | undefined {
    if (!(to.meanInFlight > times * from.meanInFlight) || from.maxInFlight >= to.limit / 2) return undefined;
    const { slope, error } = slopeBetween(yieldOf(from), yieldOf(to), this.#noise);
    return slope + error < FLAT ? from.maxInFlight : undefined;
  }
}

/** What is in flight has grown by a part of the work that was done since. */
function isGrowing(from: SampleWindow, to: SampleWindow): boolean {
  const seconds = (to.startedAt + to.endedAt - from.startedAt - from.endedAt) / 2000;
  return to.meanInFlight - from.meanInFlight > PART * to.workRate * seconds;
}

/** Of what is in flight: the limit does not bound it. */
function yieldOf({ meanInFlight, workRate, succeeded }: SampleWindow): WorkYield {
  return { limit: meanInFlight, workRate, answers: succeeded };
}

/** Answers. */
const FEW = 5;
const ENOUGH = 20;
/** Times as much in flight. */
const PLAINLY = 1.5;
const DOUBLE = 2;
/** Windows. */
const LASTING = 4;
const PART = 0.05;
/** d ln(work) / d ln(in flight). */
const FLAT = 0.5;
