import type { SampleWindow } from './controller.js';
import type { ResponseNoise } from './response-noise.js';

/**
 * Whether the response follows a deep cut is not known until the next windows. A cut that it has not followed is not
 * deepened until that is sure, and then taken back: the way has become longer, not the line.
 *
 * What came about in the middle of the window that was cut by had hardly begun to show in it: a response that is even longer
 * after the cut is what the next one is compared with.
 */
export class CutDoubts {
  readonly #noise: ResponseNoise;
  #before: { readonly limit: number; readonly succeeded: number; readonly time: number } | undefined;
  #probes = 0;
  /** The limit to go back to. */
  #from = 0;

  constructor(noise: ResponseNoise) {
    this.#noise = noise;
  }

  /** @param time response time at the limit that is cut */
  cut({ limit, succeeded }: SampleWindow, time: number): void {
    if (this.#before === undefined) this.#from = limit;
    this.#before ??= { limit, succeeded, time };
  }

  forget(): void {
    this.#before = undefined;
    this.#probes = 0;
  }

  /**
   * @param target where the limit would go next
   * @returns a lower limit to make sure, or the one from before the cut to go back to; nothing where there is no doubt
   */
  onWindow(
    { limit, succeeded }: SampleWindow,
    time: number,
    target: number,
  ): { readonly lower: number } | { readonly back: number } | undefined {
    const before = this.#before;
    if (before === undefined) return undefined;
    const run = Math.log(before.limit / limit);
    const settled = this.#probes === 0 && !(target < limit * 0.9);
    const beyond = Math.max(0, 1 - 1 / this.#noise.heaviness);
    const chance = (this.#noise.between(before.succeeded, succeeded) / run) * beyond;
    const follows = Math.log(before.time / time) / run > FOLLOWS - 0.7 * chance;
    if (settled || run < 0.1 || follows) {
      this.forget();
      return undefined;
    }
    const lower = Math.max(1, limit * 0.6);
    if (this.#probes === 0 && time > WORSE * before.time) this.#before = { limit, succeeded, time };
    if (run < 0.8 && lower < limit && this.#probes++ < 2) return { lower };
    this.forget();
    return { back: this.#from };
  }
}

/** d ln(response time) / d ln(limit), above which the response follows. */
const FOLLOWS = 0.4;
/** Times the response, from which on it is another one. */
const WORSE = 1.5;
