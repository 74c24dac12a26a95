/** A stretch of time and how many of the permits taken in it are still out. */
export interface Cohort {
  readonly startedAt: number;
  open: number;
  previous: Cohort | undefined;
  next: Cohort | undefined;
}

/**
 * Knows the age of the oldest permit in flight, to 10 ms, for the price of two additions per operation: permits are
 * counted by the stretch of time they were taken in, and empty stretches leave the list, so its length is bounded by
 * the permits in flight.
 */
export class PermitAges {
  #oldest: Cohort;
  #newest: Cohort;

  constructor(now: number) {
    this.#newest = { startedAt: now, open: 0, previous: undefined, next: undefined };
    this.#oldest = this.#newest;
  }

  /** The cohort for a permit taken at the last time that {@link advance} heard of. */
  enter(): Cohort {
    this.#newest.open++;
    return this.#newest;
  }

  leave(cohort: Cohort): void {
    if (--cohort.open === 0 && cohort !== this.#newest) this.#unlink(cohort);
  }

  /** To be told the time now and then; at least whenever the clock was read anyway. */
  advance(now: number): void {
    const last = this.#newest;
    if (now - last.startedAt < RESOLUTION_MS) return;
    this.#newest = { startedAt: now, open: 0, previous: last, next: undefined };
    last.next = this.#newest;
    if (last.open === 0) this.#unlink(last);
  }

  /** Milliseconds since the oldest permit still out was taken; 0 when none is out. */
  oldestMs(now: number): number {
    return this.#oldest.open === 0 ? 0 : Math.max(0, now - this.#oldest.startedAt);
  }

  /** How many cohorts are kept. For tests: it must not grow with the permits that have come back. */
  get size(): number {
    let size = 0;
    for (let cohort: Cohort | undefined = this.#oldest; cohort !== undefined; cohort = cohort.next) size++;
    return size;
  }

  #unlink(cohort: Cohort): void {
    const { previous, next } = cohort;
    if (previous === undefined) this.#oldest = next!;
    else previous.next = next;
    next!.previous = previous;
  }
}

const RESOLUTION_MS = 10;
