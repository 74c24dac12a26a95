import type { BackpressureError } from '../core/backpressure-error.js';
import {
  abortSignal,
  checkOptions,
  complaint,
  integerFrom,
  millisecondsFrom,
  ofType,
} from '../core/option-checks.js';
import { RetryBudget } from './retry-budget.js';
import { type RetryClock, systemClock } from './retry-clock.js';

/** A retry that is about to be waited for. */
export interface RetryEvent {
  /** The attempt that was rejected; 1 is the first. */
  readonly attempt: number;
  /** The wait before the next one, in milliseconds. */
  readonly delayMs: number;
  readonly error: BackpressureError;
}

export interface RetryOptions {
  /** Attempts in all, the first included: an integer from 1. @default 3 */
  readonly maxAttempts?: number | undefined;
  /** The random part of the first wait is at most this; it doubles with each. Milliseconds from 0. @default 200 */
  readonly baseDelayMs?: number | undefined;
  /** The random part of a wait is never more than this. Milliseconds from 0. @default 10000 */
  readonly maxDelayMs?: number | undefined;
  /**
   * No attempt begins later than this after the first, in milliseconds from 0; when the next one would, the rejection
   * comes at once and not after a wait in vain. @default no bound
   */
  readonly maxElapsedMs?: number | undefined;
  /**
   * What the retries are paid from. `false`: no budget, every caller makes all its attempts.
   * @default one budget of the process, shared by all calls that bring none: 0.1 retries a call and 1 a second
   */
  readonly budget?: Pick<RetryBudget, 'recordCall' | 'tryRetry'> | false | undefined;
  /** Ends it at once, with `signal.reason`: while an attempt runs, too, though that goes on by itself. */
  readonly signal?: AbortSignal | undefined;
  /** Told before each wait, for logs and metrics. What it throws, or rejects with, is reported once as a process warning. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** From 0 up to 1, for tests. @default Math.random */
  readonly random?: (() => number) | undefined;
  /** For tests and simulators. @default the system's */
  readonly clock?: RetryClock | undefined;
}

export interface ResolvedRetryOptions {
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly maxElapsedMs: number;
  readonly budget: Pick<RetryBudget, 'recordCall' | 'tryRetry'> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onRetry: ((event: RetryEvent) => void) | undefined;
  readonly random: () => number;
  readonly clock: RetryClock;
}

const CHECKS = {
  maxAttempts: integerFrom(1),
  baseDelayMs: millisecondsFrom(0),
  maxDelayMs: millisecondsFrom(0),
  maxElapsedMs: millisecondsFrom(0),
  budget: checkBudget,
  signal: abortSignal,
  onRetry: ofType('function'),
  random: ofType('function'),
  clock: checkClock,
};

let budgetOfTheProcess: RetryBudget | undefined;

export function resolveRetryOptions(options: RetryOptions): ResolvedRetryOptions {
  checkOptions('retry', options, CHECKS);
  const { budget } = options;
  if (budget === undefined) budgetOfTheProcess ??= new RetryBudget();
  return {
    maxAttempts: options.maxAttempts ?? 3,
    baseDelayMs: options.baseDelayMs ?? 200,
    maxDelayMs: options.maxDelayMs ?? 10_000,
    maxElapsedMs: options.maxElapsedMs ?? Number.POSITIVE_INFINITY,
    budget: budget === false ? undefined : (budget ?? budgetOfTheProcess),
    signal: options.signal,
    onRetry: options.onRetry,
    random: options.random ?? Math.random,
    clock: options.clock ?? systemClock,
  };
}

function checkBudget(option: string, value: unknown): void {
  if (value === false) return;
  const { recordCall, tryRetry } = (value ?? {}) as Partial<RetryBudget>;
  if (typeof recordCall !== 'function' || typeof tryRetry !== 'function') {
    throw new TypeError(complaint(option, 'a RetryBudget or false', value));
  }
}

function checkClock(option: string, value: unknown): void {
  const { now, after } = (value ?? {}) as Partial<RetryClock>;
  if (typeof now !== 'function' || typeof after !== 'function') {
    throw new TypeError(complaint(option, 'an object with now() and after()', value));
  }
}
