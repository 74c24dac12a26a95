import type { SampleWindow } from './controller.js';
import type { ResponseNoise } from './response-noise.js';

/**
 * How fast a limit grows while the database answers as if it were idle. Until it has once been past the knee it doubles;
 * after that it grows by the slack, until several windows together leave no doubt.
 */
export class Growth {
  readonly #noise: ResponseNoise;
  /** Windows in a row. */
  #windows = 0;
  #answers = 0;
  #ratios = 0;
  /** It has been past the knee, so that it is known to lie somewhere near. */
  bracketed = false;

  constructor(noise: ResponseNoise) {
    this.#noise = noise;
  }

  get sustained(): boolean {
    return this.#windows > 1;
  }

  get going(): boolean {
    return this.#windows > 0;
  }

  stop(): void {
    this.#windows = this.#answers = this.#ratios = 0;
  }

  /** Whether the database answers as if it were idle; far below the knee, as far as can be told from so few answers. */
  isDue(ratio: number, noise: number, slack: number, refused: number): boolean {
    const unsure = !this.bracketed && refused > LITTLE;
    return ratio < 1 + Math.max(slack / 2, unsure ? Math.min(2 * noise, DOUBT) : 0);
  }

  /**
   * @param ratio response time against the base
   * @param noise relative standard error of the ratio, and of the base alone
   * @param refused share, smoothed
   * @returns the next limit, which may be above `max`
   */
  next(
    { limit, succeeded }: SampleWindow,
    ratio: number,
    noise: { readonly ratio: number; readonly base: number },
    slack: number,
    refused: number,
    max: number,
  ): number {
    if (limit >= max) this.stop();
    const grown = limit * this.#factor(ratio, succeeded, noise, slack, refused);
    return Math.max(grown, this.sustained ? limit + 1 : 0);
  }

  #factor(
    ratio: number,
    answers: number,
    noise: { readonly ratio: number; readonly base: number },
    slack: number,
    refused: number,
  ): number {
    this.#windows++;
    this.#answers += answers;
    this.#ratios += answers * ratio;
    if (!this.bracketed) {
      if (refused < LITTLE) return 1 + slack;
      // Where most is refused there is more to gain than to lose.
      const doubt = refused > MOST ? 0 : 2 * noise.ratio;
      return ratio + doubt < 1.3 ? 2 : 1.4;
    }
    const together = this.#ratios / this.#answers;
    const noDoubt = together + 2 * Math.hypot(this.#noise.of(this.#answers), noise.base) < 1 + 0.6 * slack;
    if (noDoubt && this.#windows >= 2) return this.#windows >= 3 ? 2 : 1.5;
    return this.#windows >= 4 ? 1.3 : 1 + slack;
  }
}

/** Refused shares: below the one, the load nearly fits; above the other, most of it does not. */
const LITTLE = 0.1;
const MOST = 0.8;
/** Of the ratio: beyond it, chance is no excuse. */
const DOUBT = 0.5;
