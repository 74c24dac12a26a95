import { clamp } from './controller-range.js';

/**
 * Whether the response follows a deep cut is not known until the next windows. A cut that it has not followed is not
 * deepened until that is sure, and then taken back: the way has become longer, not the line.
 */
export class CutDoubts {
  #before: Point | undefined;
  /** The first window after the cut that left a doubt. */
  #after: Point | undefined;
  #probes = 0;

  /** @param time response time at the limit that is cut */
  cut(limit: number, time: number): void {
    this.#before ??= { limit, time };
  }

  forget(): void {
    this.#before = this.#after = undefined;
    this.#probes = 0;
  }

  /**
   * @param target where the limit would go next
   * @param noise relative standard error of the time: with less, a smaller step tells
   * @returns a lower limit to make sure, or the one from before the cut to go back to; nothing where there is no doubt
   */
  onWindow(
    limit: number,
    time: number,
    target: number,
    noise: number,
  ): { readonly lower: number } | { readonly back: number } | undefined {
    const before = this.#before;
    if (before === undefined) return undefined;
    const now = { limit, time };
    const run = Math.log(before.limit / limit);
    const settled = this.#probes === 0 && !(target < limit * 0.9);
    // Half of what was cut for may have been of another time, shorter than all of it would have been.
    if (
      settled ||
      run < 0.1 ||
      follows(before, now) ||
      (this.#after !== undefined && follows(this.#after, now))
    ) {
      this.forget();
      return undefined;
    }
    const first = this.#after === undefined;
    this.#after ??= now;
    const lower = Math.max(1, limit * Math.exp(-clamp(7 * noise, LEAST_STEP, MOST_STEP)));
    if ((first || run < 0.8) && lower < limit && this.#probes++ < 2) return { lower };
    this.forget();
    return { back: before.limit };
  }
}

interface Point {
  readonly limit: number;
  readonly time: number;
}

function follows(from: Point, to: Point): boolean {
  return Math.log(from.time / to.time) / Math.log(from.limit / to.limit) > FOLLOWS;
}

/** In the logarithm of the limit. */
const LEAST_STEP = 0.16;
const MOST_STEP = 0.51;
/** d ln(response time) / d ln(limit), above which the response follows. */
const FOLLOWS = 0.4;
