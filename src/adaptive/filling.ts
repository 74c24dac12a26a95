import type { SampleWindow } from './controller.js';
import { noiseOf } from './response-time.js';
import { isFilling } from './window-figures.js';

/**
 * Watches a database fill up below a limit that is far too high: what is in flight grows, and the work does not. It goes on
 * to the limit, and what has been let in by then takes long to drain. What was in flight before did as much work.
 */
export class Filling {
  #before: SampleWindow | undefined;

  /** @returns a limit that is enough, where it is far below the one that there is */
  onWindow(window: SampleWindow): number | undefined {
    const before = this.#before;
    const { rejected, succeeded, limit, meanInFlight, workRate } = window;
    this.#before = rejected === 0 && succeeded >= FEWEST ? window : undefined;
    if (before === undefined || succeeded < FEWEST || !isFilling({ ...window, rejected: 0 }))
      return undefined;
    const run = Math.log(meanInFlight / before.meanInFlight);
    const slope = Math.log(workRate / before.workRate) / run;
    const error = Math.hypot(noiseOf(succeeded), noiseOf(before.succeeded)) / run;
    if (!(run > PLAINLY && slope + error < FLAT && before.maxInFlight < limit / 2)) return undefined;
    return before.maxInFlight;
  }
}

/** Answers. */
const FEWEST = 20;
/** More in flight, in the logarithm. */
const PLAINLY = Math.log(1.5);
/** d ln(work) / d ln(in flight). */
const FLAT = 0.5;
