import type { LimitDecision, SampleWindow } from './controller.js';
import { clamp, type ResolvedRange } from './controller-range.js';
import { Elasticity } from './elasticity.js';
import { merged } from './window-figures.js';

/**
 * Keeps a limit at the knee: measures the {@link Elasticity} by windows a little above and a little below, and moves when
 * it differs from the target by more than 1.5 standard errors.
 *
 *     target = clamp(refused share / 2, 0.03, 0.15)
 *     step   = 0.1 at first, x1.4 while the direction stays (to 0.4), halved when it turns, 0.34 where work plainly follows;
 *              in ln(limit)
 *
 * Below the knee e is about 1, past it 0, under thrashing negative. The distance of the two limits follows the noise: 5 %
 * where thousands answer in a window, 25 % where few do. Twice without a move, it is steady: most windows are then spent
 * just above the knee, and every fourth probes.
 */
export class KneeSeek {
  readonly #range: ResolvedRange;
  readonly #elasticity = new Elasticity();
  center: number;
  #noise = 0.05;
  /** The window, or windows, that the next one at another limit is compared with. */
  #first: SampleWindow | undefined;
  #turn = 0;
  #quiet = 0;
  #step = FIRST_STEP;
  #direction = 0;

  constructor(range: ResolvedRange) {
    this.#range = range;
    this.center = range.initial;
  }

  restart(center: number): void {
    this.center = clamp(center, this.#range.min, this.#range.max);
    this.forget();
  }

  forget(): void {
    this.#elasticity.clear();
    this.pause();
    this.#step = FIRST_STEP;
    this.#direction = this.#quiet = 0;
  }

  /** The next window can't be compared with the last. */
  pause(): void {
    this.#first = undefined;
  }

  noise(window: SampleWindow): number {
    return this.#elasticity.noise(window);
  }

  /** What the logarithm of a work rate owes to the window's limit being off the center. */
  offCenter({ limit }: SampleWindow): number {
    return clamp(this.#elasticity.value, -1, 1) * Math.log(limit / this.center);
  }

  /** @param refused share, smoothed */
  onWindow(window: SampleWindow, refused: number): LimitDecision {
    const elasticity = this.#elasticity;
    elasticity.learnDispersion(window);
    this.#noise = elasticity.noise(window);
    const first = this.#first;
    if (first === undefined || first.limit === window.limit) {
      this.#first = first === undefined ? window : merged(first, window);
      return this.#next('measuring', refused, window.slot);
    }
    this.#first = undefined;
    elasticity.addPair(first, window);
    const { value, error, last, lastError } = elasticity;
    const target = clamp(refused / 2, 0.03, MOST_TARGET);
    // A surprise: look again, at once.
    if (Math.abs(last - MOST_TARGET) > 0.45) this.#quiet = 0;
    const figures = `elasticity ${value.toFixed(2)} +- ${error.toFixed(2)}, target ${target.toFixed(2)}`;
    // Hardly anything is refused: the doubt speaks for growing until nothing is.
    const doubt = refused > 0.0015 && refused < LITTLE ? Z * error : 0;
    const difference = value - target + doubt;
    if (!(Math.abs(difference) > Z * error)) {
      if (error < 0.25) this.#quiet++;
      return this.#next(`${figures}: hold`, refused, window.slot);
    }
    // No step further than what was probed reaches: the knee may lie close by.
    const reach = 1.5 * Math.abs(Math.log(window.limit / first.limit));
    this.#lengthenStep(difference, refused, reach);
    // Not a search in strides, which this process would make alone: at a shared database it would only take from others.
    if (value - 1.6 * error > PLAINLY || last - 1.6 * lastError > PLAINLY) {
      this.#step = Math.min(STRIDE, reach);
      this.#quiet = 0;
    }
    elasticity.discount(Math.exp(-6 * this.#step));
    const { min, max } = this.#range;
    this.center = clamp(this.center * Math.exp(this.#direction * this.#step), min, max);
    return this.#next(`${figures}: ${this.#direction > 0 ? 'up' : 'down'}`, refused, window.slot);
  }

  #lengthenStep(difference: number, refused: number, reach: number): void {
    const direction = Math.sign(difference);
    const same = direction === this.#direction;
    const most = refused < LITTLE ? 0.2 : 0.4;
    const step = same ? Math.min(most, this.#step * 1.4) : Math.max(0.05, this.#step / 2);
    this.#step = Math.max(step, Math.min(0.25, 0.3 * Math.abs(difference), reach / 1.5));
    if (same) this.#quiet = 0;
    this.#direction = direction;
  }

  /** The limit of the next window. */
  #next(reason: string, refused: number, slot = this.#turn++): LimitDecision {
    const { center } = this;
    const steady = this.#quiet >= 2;
    const little = refused < LITTLE;
    const amplitude = 1 + clamp(2.5 * this.#noise, 0.05, 0.25) * (steady ? 1.3 : 1);
    const above = little || steady ? amplitude ** 1.5 : amplitude;
    const high = Math.max(Math.round(center * above), Math.floor(center) + 1);
    // While little is refused the limit should rather grow: then only what lies above is probed.
    const below = little
      ? Math.floor(center)
      : Math.min(Math.round(center / amplitude), Math.ceil(center) - 1);
    const low = Math.max(1, below);
    if (!steady) {
      const turn = (slot + 1) % 4;
      return { limit: turn === 0 || turn === 3 ? high : low, reason };
    }
    const resting = Math.max(1, Math.round(center * RESTS_AT));
    const turn = (slot + 1) % PROBES_EVERY;
    if (turn !== 0) return { limit: resting, reason: `${reason}, steady` };
    const probe = ((slot + 1) / PROBES_EVERY) % 2 === 0 ? low : high;
    return { limit: probe === resting ? resting + 1 : probe, reason: 'probing' };
  }
}

const FIRST_STEP = 0.1;
/** Standard errors. */
const Z = 1.5;
const MOST_TARGET = 0.15;
/** The work plainly follows the limit. */
const PLAINLY = 0.35;
const STRIDE = 0.34;
/** Refused share below which the load is taken to fit, but for bursts. */
const LITTLE = 0.06;
/** Windows, while steady. */
const PROBES_EVERY = 4;
/** Times the center. */
const RESTS_AT = 1.05;
