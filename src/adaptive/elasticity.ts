import type { SampleWindow } from './controller.js';
import { noiseOf } from './response-time.js';

/**
 * How much more work a higher limit yields: d ln(work rate) / d ln(limit), 1 below a knee and 0 past it. Each probe is
 * compared with the windows at rest around it; several probes count together, each as much as it is sure.
 */
export class Elasticity {
  readonly #above = new Slope();
  #rest: { readonly limit: number; readonly workRate: number; readonly answers: number } | undefined;

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

  onRest({ limit, workRate, succeeded }: SampleWindow): void {
    const before = this.#rest;
    if (before === undefined || Math.abs(Math.log(limit / before.limit)) > NEAR) {
      this.#rest = { limit, workRate, answers: succeeded };
      return;
    }
    const kept = before.answers * KEEP;
    const answers = kept + succeeded;
    const mean = (old: number, now: number) => (old * kept + now * succeeded) / answers;
    this.#rest = { limit: mean(before.limit, limit), workRate: mean(before.workRate, workRate), answers };
  }

  /** @returns what this probe alone says, with its standard error */
  onProbe({ limit, workRate, succeeded }: SampleWindow): { slope: number; error: number } {
    const rest = this.#rest!;
    const run = Math.log(limit / rest.limit);
    const slope = Math.log(workRate / rest.workRate) / run;
    const error = Math.hypot(noiseOf(succeeded), noiseOf(rest.answers)) / Math.abs(run);
    if (run > 0 && Number.isFinite(slope)) this.#above.add(slope, error);
    return { slope, error };
  }

  /** Whether work falls with the limit, as far as this probe below it tells: then there is no line that gets shorter. */
  fallsBelow(window: SampleWindow): boolean {
    const { slope, error } = this.onProbe(window);
    return slope - 2 * error > 0.6;
  }

  /** The limit has moved: what was measured was somewhere else. */
  moved(): void {
    this.#above.fade(AFTER_MOVE);
  }
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
const WORTH = 0.15;
/** Standard error. */
const KNOWN = 0.25;
/** In the logarithm. */
const NEAR = 0.12;
/** What remains at each new figure. */
const KEEP = 0.8;
const AFTER_MOVE = 0.3;
