import { checkOptions, numberFrom, ofType } from '../core/option-checks.js';

export interface RetryBudgetOptions {
  /** Retries that each call pays for: a number from 0 to 1. 0.1 is one retry for ten calls. @default 0.1 */
  readonly ratio?: number | undefined;
  /** Retries a second that there are in any case, for quiet services: a number from 0. @default 1 */
  readonly minPerSecond?: number | undefined;
  /** A monotonic clock in milliseconds, for tests and simulators. @default performance.now */
  readonly now?: (() => number) | undefined;
}

/** Counts since the budget was made. */
export interface RetryBudgetStats {
  readonly calls: number;
  /** Retries that were paid for. */
  readonly retries: number;
  /** Retries that were not made because nothing was left. */
  readonly refused: number;
  /** Retries that could be made right now. */
  readonly available: number;
}

/**
 * Bounds what retries add to the load, however many callers retry: when everything is refused, retries of everything
 * would multiply the load just when there is too much of it. Share one object between all call sites of one database.
 *
 * A token bucket that leaks. Each call puts `ratio` in, each second `minPerSecond`, a retry takes 1 out; what is not
 * used leaks away with a time constant of 10 s, so that only recent calls count:
 *
 *     retries <= ratio * calls + minPerSecond * (seconds + 10)
 */
export class RetryBudget {
  readonly #ratio: number;
  /** What the floor fills the bucket up to: as much as leaks. */
  readonly #level: number;
  readonly #now: () => number;
  #tokens: number;
  #at: number;
  #calls = 0;
  #retries = 0;
  #refused = 0;

  /** @throws TypeError | RangeError naming the option, the rule and the value */
  constructor(options: RetryBudgetOptions = {}) {
    checkOptions('RetryBudget', options, CHECKS);
    this.#ratio = options.ratio ?? 0.1;
    this.#level = (options.minPerSecond ?? 1) * (KEPT_MS / 1000);
    this.#now = options.now ?? monotonic;
    this.#tokens = this.#level;
    this.#at = this.#now();
  }

  /** A call is made for the first time. */
  recordCall(): void {
    this.#advance();
    this.#calls++;
    this.#tokens += this.#ratio;
  }

  /** Takes one retry out of the budget, if there is one. */
  tryRetry(): boolean {
    this.#advance();
    // Ten times a tenth is a little less than one.
    if (this.#tokens < 1 - ROUNDING) {
      this.#refused++;
      return false;
    }
    this.#tokens -= 1;
    this.#retries++;
    return true;
  }

  stats(): RetryBudgetStats {
    this.#advance();
    return Object.freeze({
      calls: this.#calls,
      retries: this.#retries,
      refused: this.#refused,
      available: Math.floor(this.#tokens + ROUNDING),
    });
  }

  #advance(): void {
    const now = this.#now();
    // A clock that goes back, or says nothing, has stood still.
    const elapsed = now > this.#at ? now - this.#at : 0;
    this.#at = now;
    this.#tokens = this.#level + (this.#tokens - this.#level) * Math.exp(-elapsed / KEPT_MS);
  }
}

const CHECKS = { ratio: numberFrom(0, 1), minPerSecond: numberFrom(0), now: ofType('function') };
const KEPT_MS = 10_000;
const ROUNDING = 1e-9;

function monotonic(): number {
  return performance.now();
}
