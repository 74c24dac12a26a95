import type { Limiter } from '../core/limiter.js';

/** Who moved a limiter's limit last. */
const ramps = new WeakMap<Limiter, LimitRamp>();

/**
 * Keeps a limit low while its dependency is down, so that a few operations try it out, and raises it step by step when it
 * is back: full load at once would meet cold caches and everything that has waited.
 *
 * Whoever else moves the limit has the last word: a limit that moves by itself is left alone (after an outage it comes
 * back gradually anyway), and after a `resize` the ramp is over. Of several ramps of one limiter, the first one moves it:
 * the next would take the lowered limit for the whole.
 */
export class LimitRamp {
  readonly #limiter: Limiter;
  readonly #from: number;
  readonly #steps: number;
  /** What the limit was, and is to be again; `undefined` while it is not lowered. */
  #target: number | undefined;
  /** What this ramp has set last. */
  #set = 0;
  #step = 0;

  /**
   * @param from the share it is lowered to
   * @param steps it rises back in so many
   */
  constructor(limiter: Limiter, from: number, steps: number) {
    this.#limiter = limiter;
    this.#from = from;
    this.#steps = steps;
  }

  lower(): void {
    const adaptive = this.#limiter.stats().adaptive;
    if (adaptive !== undefined && !adaptive.observe) return;
    const other = ramps.get(this.#limiter);
    if (other !== undefined && other !== this && other.#ownTarget() !== undefined) return;
    ramps.set(this.#limiter, this);
    const target = this.#ownTarget() ?? this.#limiter.limit;
    this.#target = target;
    this.#step = 0;
    this.#setLimit(this.#share(target), 'health: down');
  }

  /**
   * One permit more than are out, though not more than there were: if all of the lowered limit is held for long, nothing
   * could be tried out.
   */
  makeRoom(): void {
    const target = this.#ownTarget();
    const { limit, inFlight } = this.#limiter;
    if (target === undefined || inFlight < limit || inFlight >= target) return;
    this.#setLimit(inFlight + 1, 'health: room to try');
  }

  raise(): void {
    const target = this.#ownTarget();
    if (target === undefined) return;
    this.#step++;
    this.#setLimit(Math.max(this.#limiter.limit, this.#share(target)), 'health: re-entry');
    if (this.#step >= this.#steps) this.#target = undefined;
  }

  /** Back to what it was, at once. */
  end(): void {
    const target = this.#ownTarget();
    if (target !== undefined) this.#setLimit(target, 'health: re-entry');
    this.#target = undefined;
  }

  #ownTarget(): number | undefined {
    if (this.#limiter.limit !== this.#set) this.#target = undefined;
    return this.#target;
  }

  #share(target: number): number {
    const share = this.#from + ((1 - this.#from) * this.#step) / this.#steps;
    return Math.min(target, Math.max(1, Math.round(target * share)));
  }

  #setLimit(limit: number, reason: string): void {
    this.#set = limit;
    this.#limiter.gate.setLimit(limit, reason, undefined);
  }
}
