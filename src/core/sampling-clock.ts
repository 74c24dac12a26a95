/**
 * Reads the clock for at most about a thousand operations a second: a reading costs 40 ns, half of what a whole
 * operation may cost on the hot path, and a thousand samples a second are enough for any percentile.
 *
 * Which ones are skipped is left to chance: a client that asks for its checkouts and its queries in turns would, at an even
 * stride, hear of one of the two only. Below that rate every operation is timed. When a fast burst ends, a timer
 * (unreferenced, one per limiter, armed only while operations are being skipped) brings the timing of every operation back
 * within 100 ms.
 */
export class SamplingClock {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly #mayThin: boolean;
  #everyOperation = false;
  #stride = 1;
  #skipped = 0;
  #seed = 1;
  #stretchStartedAt = Number.NEGATIVE_INFINITY;
  #timed = 0;
  #timedAt = Number.NEGATIVE_INFINITY;
  #armed = false;

  /** @param now a clock of the caller's (tests, simulators): then every operation is timed, so that runs repeat. */
  constructor(now?: () => number) {
    this.now = now ?? monotonic;
    this.#mayThin = now === undefined;
  }

  /** What {@link now} counts from: milliseconds since the epoch; 0 with a clock of the caller's. */
  get origin(): number {
    return this.#mayThin ? performance.timeOrigin : 0;
  }

  /** The time for an operation that starts now, or `NaN` when this one goes untimed. */
  sample(): number {
    if (++this.#skipped < this.#stride) return Number.NaN;
    const now = this.now();
    if (this.#mayThin && !this.#everyOperation) this.#adapt(now);
    this.#skipped = this.#stride === 1 ? 0 : this.#stride - this.#gap();
    return now;
  }

  /** Uniform, with the stride as its mean. */
  #gap(): number {
    // A linear congruential generator (Numerical Recipes, 1992); its high bits are the good ones.
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + ((this.#seed >>> 16) % (2 * this.#stride - 1));
  }

  /** While somebody records every operation (an exporter's histogram), none may go untimed. */
  set everyOperation(value: boolean) {
    this.#everyOperation = value;
    if (value) this.#reset();
  }

  #adapt(now: number): void {
    this.#timedAt = now;
    if (now - this.#stretchStartedAt >= STRETCH_MS) {
      if (this.#timed < FEW && this.#stride > 1) this.#stride /= 2;
      this.#stretchStartedAt = now;
      this.#timed = 0;
    }
    if (++this.#timed <= ENOUGH) return;
    // What it would have been by now at the new stride; from zero, the stretch would look like a quiet one.
    this.#timed = ENOUGH / 2;
    if (this.#stride < MAX_STRIDE) this.#stride *= 2;
    if (!this.#armed) this.#arm();
  }

  #arm(): void {
    this.#armed = true;
    setTimeout(() => {
      this.#armed = false;
      // No operation was timed for a whole stretch: the burst is over.
      if (this.now() - this.#timedAt >= STRETCH_MS) this.#reset();
      else if (this.#stride > 1) this.#arm();
    }, STRETCH_MS).unref();
  }

  #reset(): void {
    this.#stride = 1;
    this.#skipped = 0;
  }
}

const STRETCH_MS = 50;
/** Timed operations in a stretch: at most this many, then every second one is skipped, and so on. */
const ENOUGH = 50;
/** With fewer, only half as many are skipped. Just under half of enough: twice as many are not too many again. */
const FEW = 24;
const MAX_STRIDE = 1024;

function monotonic(): number {
  return performance.now();
}
