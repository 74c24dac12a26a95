/** Reads a clock about once a millisecond, however often it is asked: for events that are not timed otherwise. */
export class ThinnedClock {
  readonly #now: () => number;
  #stride = 1;
  #skipped = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The time, or `undefined` when this event goes untimed. */
  sample(): number | undefined {
    if (++this.#skipped < this.#stride) return undefined;
    this.#skipped = 0;
    const now = this.#now();
    const elapsed = now - this.#lastAt;
    this.#lastAt = now;
    if (elapsed < 1) this.#stride = Math.min(this.#stride * 2, MAX_STRIDE);
    else if (elapsed > 4) this.#stride = 1;
    return now;
  }
}

const MAX_STRIDE = 64;
