import type { SampleWindow } from './controller.js';
import { smoothed } from './window-figures.js';

/**
 * By how much the mean of some answers' times differs from what it would be of many: the relative standard deviation of one
 * answer, over the root of their number. Until more is known it is taken for that of exponential times, and some.
 *
 * A few operations that take much longer than the rest make it far greater, and operations that all take as long make it
 * smaller. Two things tell: the median, far below the mean then (in a log-normal distribution the deviation is the root of
 * (mean / median)^2 - 1), as long as operations are of one class; and how much the response differs from one window to the
 * next at one limit.
 */
export class ResponseNoise {
  #spread = 1;
  #variance = EXPONENTIAL ** 2;
  #before: Response | undefined;

  /** Of one answer, against the mean. */
  get deviation(): number {
    return Math.min(MOST, Math.max(LEAST, 1.15 * this.#spread, Math.sqrt(this.#variance)));
  }

  /** How many times that of exponential times. */
  get heaviness(): number {
    return this.deviation / EXPONENTIAL;
  }

  /** Relative standard error of a mean of so many. */
  of(answers: number): number {
    return this.deviation / Math.sqrt(answers);
  }

  /** Of the ratio of two such means. */
  between(some: number, others: number): number {
    return Math.hypot(this.of(some), this.of(others));
  }

  /** @param time response time, in any unit */
  onWindow({ limit, succeeded, rejected, meanLatency, p50, workUnitMs }: SampleWindow, time: number): void {
    if (workUnitMs === undefined && p50 > 0 && meanLatency > 0) {
      const spread = Math.sqrt(Math.max(0, (meanLatency / p50) ** 2 - 1));
      this.#spread = smoothed(this.#spread, spread, 0.2);
    }
    const before = this.#before;
    const now = { limit, time: Math.log(time / limit), answers: succeeded, bounded: rejected > 0 };
    this.#before = now;
    if (!before?.bounded || !now.bounded || Math.abs(Math.log(limit / before.limit)) > SAME) return;
    const variance = (now.time - before.time) ** 2 / (1 / now.answers + 1 / before.answers);
    if (Number.isNaN(variance)) return;
    // What is far beyond chance is a change, and says nothing of it.
    this.#variance = smoothed(this.#variance, Math.min(variance, 9 * this.#variance), 0.08);
  }
}

interface Response {
  readonly limit: number;
  /** Logarithm, for each permit. */
  readonly time: number;
  readonly answers: number;
  /** The limit bounded the work. */
  readonly bounded: boolean;
}

const EXPONENTIAL = 1.2;
const LEAST = 0.6;
const MOST = 5;
/** In the logarithm: the limit is still the same. */
const SAME = 0.06;
