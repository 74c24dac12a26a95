import type { SampleWindow } from './controller.js';
import { loadShare, offeredRate, refusedShare } from './window-figures.js';

/**
 * Estimates the elasticity e = d ln(work rate) / d ln(limit) from pairs of windows at two limits:
 *
 *     e = (ln(X1/X2) - b ln(offered1/offered2)) / ln(L1/L2)
 *     var(e) = dispersion (1/n1 + 1/n2) / ln(L1/L2)^2
 *
 * averaged by precision, older pairs counting 0.9 of the next. The dispersion is measured (variance over mean of the work
 * in slices of a window), not taken for Poisson's 1. b takes out what merely the load did: 1 while hardly anything is
 * refused, 0 from a third on. When the last pairs contradict the older ones, these are dropped.
 */
export class Elasticity {
  #dispersion = 1.5;
  #weight = 0;
  #sum = 0;
  /** The last two or so pairs. */
  #freshWeight = 0;
  #freshSum = 0;
  /** Of the last pair alone. */
  last = 0;
  lastError = Number.POSITIVE_INFINITY;

  /** 0 without pairs. */
  get value(): number {
    return this.#weight === 0 ? 0 : this.#sum / this.#weight;
  }

  /** Standard error of {@link value}; infinite without pairs. */
  get error(): number {
    return this.#weight === 0 ? Number.POSITIVE_INFINITY : 1 / Math.sqrt(this.#weight);
  }

  /** Relative noise of a window's work rate. */
  noise({ succeeded }: SampleWindow): number {
    return Math.sqrt(this.#dispersion / Math.max(1, succeeded));
  }

  learnDispersion({ workDispersion }: SampleWindow): void {
    if (workDispersion === undefined || !(workDispersion > 0)) return;
    this.#dispersion += (Math.min(workDispersion, 10) - this.#dispersion) / 10;
  }

  addPair(a: SampleWindow, b: SampleWindow): void {
    if (!(a.workRate > 0 && b.workRate > 0 && a.succeeded > 0 && b.succeeded > 0)) return;
    const run = Math.log(a.limit / b.limit);
    const share = loadShare(Math.max(refusedShare(a), refusedShare(b)));
    const load = share === 0 ? 0 : share * Math.log(offeredRate(a) / offeredRate(b));
    const e = (Math.log(a.workRate / b.workRate) - load) / run;
    const variance =
      (this.#dispersion * (1 - 0.7 * share) * (1 / a.succeeded + 1 / b.succeeded)) / (run * run);
    this.last = e;
    this.lastError = Math.sqrt(variance);
    this.#weight = this.#weight * MEMORY + 1 / variance;
    this.#sum = this.#sum * MEMORY + e / variance;
    this.#freshWeight = this.#freshWeight * 0.5 + 1 / variance;
    this.#freshSum = this.#freshSum * 0.5 + e / variance;
    const contrast = Math.abs(this.#freshSum / this.#freshWeight - this.value);
    if (contrast > 2 * Math.sqrt(1 / this.#freshWeight + 1 / this.#weight)) {
      this.#weight = this.#freshWeight;
      this.#sum = this.#freshSum;
    }
  }

  /** After a step of the limit, what was measured beside the old one counts for less. */
  discount(kept: number): void {
    this.#weight *= kept;
    this.#sum *= kept;
    this.#freshWeight *= kept;
    this.#freshSum *= kept;
  }

  clear(): void {
    this.discount(0);
  }
}

const MEMORY = 0.9;
