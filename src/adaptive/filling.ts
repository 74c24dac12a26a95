import type { SampleWindow } from './controller.js';
import type { ResponseNoise } from './response-noise.js';
import { isFilling } from './window-figures.js';
import { slopeBetween, type WorkYield } from './work-yield.js';

/**
 * Watches a database fill up below a limit that is far too high: what is in flight grows, and the work does not. It goes on
 * to the limit, and what has been let in by then takes long to drain. What was in flight before did as much work.
 */
export class Filling {
  readonly #noise: ResponseNoise;
  #before: SampleWindow | undefined;

  constructor(noise: ResponseNoise) {
    this.#noise = noise;
  }

  /** @returns a limit that is enough, where it is far below the one that there is */
  onWindow(window: SampleWindow): number | undefined {
    const before = this.#before;
    const { rejected, succeeded, limit, meanInFlight } = window;
    this.#before = rejected === 0 && succeeded >= FEWEST ? window : undefined;
    if (before === undefined || succeeded < FEWEST || !isFilling({ ...window, rejected: 0 }))
      return undefined;
    const { slope, error } = slopeBetween(yieldOf(before), yieldOf(window), this.#noise);
    const grown = meanInFlight > PLAINLY * before.meanInFlight;
    return grown && slope + error < FLAT && before.maxInFlight < limit / 2 ? before.maxInFlight : undefined;
  }
}

/** Of what is in flight: the limit does not bound it. */
function yieldOf({ meanInFlight, workRate, succeeded }: SampleWindow): WorkYield {
  return { limit: meanInFlight, workRate, answers: succeeded };
}

/** Answers. */
const FEWEST = 20;
/** Times as much in flight. */
const PLAINLY = 1.5;
/** d ln(work) / d ln(in flight). */
const FLAT = 0.5;
