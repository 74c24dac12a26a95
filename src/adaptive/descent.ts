import type { LimitDecision, SampleWindow } from './controller.js';
import type { ResponseBase } from './response-time.js';
import { isFull } from './window-figures.js';

interface Point {
  readonly limit: number;
  readonly time: number;
  /** Where nearly all permits are out all the time, by Little's law as good a witness as the time. */
  readonly workRate: number | undefined;
}

/**
 * Finds the response time without queueing when nothing is known yet: goes down in strides of 0.6 as long as the response
 * time falls with the limit. Ends at the first stride that it does not follow, with a base, and with a place to go on from.
 */
export class Descent {
  #top: Point | undefined;
  #last: Point | undefined;
  done = false;
  /** At the end: whether it began past the knee, so that the knee lies below. */
  bracketed = false;

  /** @returns the next limit; when {@link done}, the knee, or a limit that is below it */
  onWindow(window: SampleWindow, time: number, base: ResponseBase, min: number): LimitDecision {
    const { limit } = window;
    const workRate = isFull(window) ? window.workRate : undefined;
    const last = this.#last;
    const lower = Math.max(min, Math.round(limit * STRIDE));
    if (last === undefined || last.limit <= limit) {
      if (lower >= limit) return this.#end(limit, time, window, base);
      this.#top ??= { limit, time, workRate };
      this.#last = { limit, time, workRate };
      return { limit: lower, reason: 'descending: measuring' };
    }
    const run = Math.log(last.limit / limit);
    const lost = Math.log((last.workRate ?? Number.NaN) / (workRate ?? Number.NaN)) / run;
    // The times of operations that began before the cut may still be among those of now.
    const follows = Math.max(Math.log(last.time / time) / run, Number.isNaN(lost) ? 0 : 1 - lost);
    if (follows > 0.5 && lower < limit) {
      this.#last = { limit, time, workRate };
      return { limit: lower, reason: 'descending: the response follows' };
    }
    // At the least limit it still follows: the knee lies lower than anybody may look. But one alone has no line.
    if (follows > 0.5 && limit > 1) return this.#end(limit, time * STRIDE, window, base);
    base.learn(window, time, 0);
    this.done = true;
    const top = this.#top ?? last;
    this.bracketed = top.time > time * PLAINLY || follows >= HALF_WAY;
    const from = top.time > time * PLAINLY ? top : last;
    const reason = 'descended: base found';
    if (!this.bracketed) return { limit: last.limit * 2, reason };
    // What was past the knee did as much work as the knee does.
    return { limit: Math.max(limit, (from.limit * time) / from.time), reason };
  }

  #end(limit: number, time: number, window: SampleWindow, base: ResponseBase): LimitDecision {
    base.learn(window, time, 0);
    this.done = true;
    // Where there is no line for certain, there is nothing to lose by the next step.
    return { limit: Math.max(limit, 2), reason: 'descended: at the least limit' };
  }
}

const STRIDE = 0.6;
const PLAINLY = 1.25;
const HALF_WAY = 0.35;
