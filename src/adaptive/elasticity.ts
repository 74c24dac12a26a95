import type { SampleWindow } from './controller.js';
import type { ResponseNoise } from './response-noise.js';
import { isFull } from './window-figures.js';
import { averaged, slopeBetween, type WorkYield } from './work-yield.js';

/**
 * How much more work a higher limit yields: d ln(work rate) / d ln(limit), 1 below a knee and 0 past it. Each probe is
 * compared with the windows at rest around it; several probes count together, each as much as it is sure.
 */
export class Elasticity {
  readonly #noise: ResponseNoise;
  readonly #above = new Slope();
  #rest: Rest | undefined;
  /** Where the way up to it began. */
  #lower: Rest | undefined;
  /** Where it rested before. */
  #before: Rest | undefined;

  constructor(noise: ResponseNoise) {
    this.#noise = noise;
  }

  /** Above the limit; `NaN` without a probe. */
  get above(): number {
    return this.#above.mean;
  }

  /** Above the limit, as far as is known. */
  get follows(): boolean {
    return this.#above.mean > WORTH && this.#above.standardError < KNOWN;
  }

  get surelyFollows(): boolean {
    return this.#above.mean - this.#above.standardError > WORTH;
  }

  onRest(window: SampleWindow): void {
    const { limit, workRate, succeeded } = window;
    const before = this.#rest;
    const now = { limit, workRate, answers: succeeded, full: isFull(window) };
    if (before === undefined || Math.abs(Math.log(limit / before.limit)) > NEAR) {
      const up = before !== undefined && before.limit < limit;
      this.#lower = up ? (this.#lower ?? (before.full ? before : undefined)) : undefined;
      this.#before = before;
      this.#rest = now;
      return;
    }
    this.#rest = { ...averaged(before, now, KEEP), full: before.full && now.full };
  }

  /** By how much work has followed the way up to where it rests now, if that is plain and the way ended below the knee. */
  get ofWayUp(): number | undefined {
    if (this.#lower === undefined || !this.#rest?.full) return undefined;
    // A long way may end past the knee, and its mean would not show that.
    const last = slopeBetween(this.#before!, this.#rest, this.#noise);
    if (last.slope + last.error < BELOW_KNEE) return undefined;
    const { slope, error } = slopeBetween(this.#lower, this.#rest, this.#noise);
    return slope > BELOW_KNEE && slope - 2.5 * error > 0.3 ? slope : undefined;
  }

  /** @returns what this probe alone says, with its standard error */
  onProbe({ limit, workRate, succeeded }: SampleWindow): { slope: number; error: number } {
    const rest = this.#rest!;
    const { slope, error } = slopeBetween(rest, { limit, workRate, answers: succeeded }, this.#noise);
    if (limit > rest.limit && Number.isFinite(slope)) this.#above.add(slope, error);
    return { slope, error };
  }

  /** Whether work falls with the limit, as far as this probe below it tells: then there is no line that gets shorter. */
  fallsBelow(window: SampleWindow): boolean {
    const { slope, error } = this.onProbe(window);
    return slope - 2 * error > 0.6;
  }

  /** The limit has moved: what was measured was somewhere else. */
  moved(): void {
    this.#lower = undefined;
    this.#above.fade(AFTER_MOVE);
  }
}

interface Rest extends WorkYield {
  /** {@link isFull}, in all of its windows. */
  readonly full: boolean;
}

class Slope {
  #sum = 0;
  #weight = 0;

  /** `NaN` without a probe. */
  get mean(): number {
    return this.#sum / this.#weight;
  }

  get standardError(): number {
    return 1 / Math.sqrt(this.#weight);
  }

  add(slope: number, error: number): void {
    this.fade(KEEP);
    this.#sum += slope / error ** 2;
    this.#weight += 1 / error ** 2;
  }

  fade(factor: number): void {
    this.#sum *= factor;
    this.#weight *= factor;
  }
}

/** From which on more work is worth a higher limit. */
const WORTH = 0.09;
/** Of a step over the knee, a part is lost. */
const BELOW_KNEE = 0.75;
/** Standard error. */
const KNOWN = 0.25;
/** In the logarithm. */
const NEAR = 0.12;
/** What remains at each new figure. */
const KEEP = 0.8;
const AFTER_MOVE = 0.3;
