/**
 * Where a database begins to refuse: it takes so many connections and no more. The limit goes half of what is left of the way
 * there at a time, and stays a little below.
 *
 * What was refused may have been chance, or be taken later: after a while the ceiling rises by half, and is gone as soon as
 * more is taken. Each time that it is met again at the same height, it takes twice as long to the next trial. Where much is
 * refused below it, it was none.
 */
export class Ceiling {
  #height = Number.POSITIVE_INFINITY;
  #lastMet = Number.POSITIVE_INFINITY;
  #patienceMs = FIRST_MS;
  #risesAt = 0;

  /** So much was too much, and less was not. */
  met(limit: number, now: number): void {
    const wasThere = this.#height < Number.POSITIVE_INFINITY;
    const wasNone = wasThere && limit <= this.#lastMet * NEAR;
    const again = wasThere && !wasNone && this.#height > this.#lastMet && limit < this.#lastMet * RISE;
    this.#patienceMs = again ? Math.min(2 * this.#patienceMs, LAST_MS) : FIRST_MS;
    this.#lastMet = limit;
    this.#height = wasNone ? Number.POSITIVE_INFINITY : limit;
    this.#risesAt = now + this.#patienceMs;
  }

  /** Nothing was refused with so many in flight. */
  passed(inFlight: number): void {
    if (inFlight > this.#lastMet * PLAINLY) this.#height = this.#lastMet = Number.POSITIVE_INFINITY;
  }

  /** Where to go back to from a trial that was met with refusals; nothing if this is none. */
  get belowTrial(): number | undefined {
    return this.#height > this.#lastMet ? this.#lastMet * NEAR : undefined;
  }

  /** @returns the next limit on the way from `limit` to `wanted` */
  below(limit: number, wanted: number, now: number): number {
    if (now >= this.#risesAt && this.#height < Number.POSITIVE_INFINITY) {
      this.#height *= RISE;
      this.#risesAt = now + FIRST_MS;
    }
    const near = this.#height * NEAR;
    if (wanted <= limit || wanted < near) return wanted;
    return limit >= near ? limit : Math.max(limit, Math.sqrt(limit * this.#height));
  }
}

/** Milliseconds from a refusal to the next trial: the first time, and at the most. */
const FIRST_MS = 5_000;
const LAST_MS = 40_000;
const RISE = 1.5;
/** Of the height: near enough. */
const NEAR = 0.93;
/** Times as many as were refused. */
const PLAINLY = 1.1;
