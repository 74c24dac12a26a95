import type { BackpressureError } from '../core/backpressure-error.js';
import { findBackpressureError } from '../core/find-backpressure-error.js';
import { warnOnce } from '../core/observers.js';
import { complaint } from '../core/option-checks.js';
import { AbortWatch } from './abort-watch.js';
import { backoffMs } from './backoff.js';
import { type ResolvedRetryOptions, type RetryOptions, resolveRetryOptions } from './retry-options.js';

/** What is told to the function that is tried. */
export interface RetryAttempt<Signal extends AbortSignal | undefined = AbortSignal | undefined> {
  /** 1 for the first. */
  readonly attempt: number;
  /** The signal of the options, to be passed on; `undefined` without one. */
  readonly signal: Signal;
}

/**
 * Tries again what floodgate rejected, and nothing else: nothing was sent then, so trying again is safe even for writes.
 * Also recognises a `BackpressureError` that an ORM has wrapped. Not retried: every other error, and a limiter that is
 * draining, since it never admits again.
 *
 * Between two attempts it holds no permit. It waits for what the rejection asks (`retryAfterMs`) and a random time on
 * top, which doubles from attempt to attempt at most.
 *
 * Gotcha: `fn` should be one operation, or one transaction. Of several, the first ones are done again when a later one
 * is rejected.
 *
 * @returns what `fn` returns. Rejects with what it threw last, the very same object, when that is not to be retried, when
 *   the attempts or the budget are spent, or the next attempt would come too late; with `signal.reason` when aborted;
 *   with a TypeError or RangeError for bad options
 */
export function retry<T>(
  fn: (attempt: RetryAttempt<AbortSignal>) => T | PromiseLike<T>,
  options: RetryOptions & { readonly signal: AbortSignal },
): Promise<T>;
export function retry<T>(
  fn: (attempt: RetryAttempt) => T | PromiseLike<T>,
  options?: RetryOptions,
): Promise<T>;
export async function retry<T>(
  fn: (attempt: RetryAttempt<never>) => T | PromiseLike<T>,
  options: RetryOptions = {},
): Promise<T> {
  if (typeof fn !== 'function') throw new TypeError(complaint('fn', 'a function', fn));
  const resolved = resolveRetryOptions(options);
  const { signal, budget, clock, onRetry } = resolved;
  const abort = signal === undefined ? undefined : new AbortWatch(signal);
  const startedAt = clock.now();
  budget?.recordCall();
  try {
    for (let attempt = 1; ; attempt++) {
      // An async function, so that what `fn` throws at once is a rejection too.
      const running = (async () => fn({ attempt, signal: signal as never }))();
      try {
        return await (abort?.race(running) ?? running);
      } catch (error) {
        signal?.throwIfAborted();
        const rejection = findBackpressureError(error);
        if (rejection === undefined) throw error;
        const delayMs = waitFor(rejection, attempt, clock.now() - startedAt, resolved);
        if (delayMs === undefined) throw error;
        tell(onRetry, { attempt, delayMs, error: rejection });
        await pause(delayMs, resolved, abort);
      }
    }
  } finally {
    abort?.stop();
  }
}

/** How long to wait before the next attempt; `undefined` if there is to be none. Pays for it. */
function waitFor(
  rejection: BackpressureError,
  attempt: number,
  elapsedMs: number,
  options: ResolvedRetryOptions,
): number | undefined {
  if (rejection.reason === 'draining' || attempt >= options.maxAttempts) return undefined;
  const delayMs = backoffMs(attempt, rejection.retryAfterMs, options);
  if (elapsedMs + delayMs > options.maxElapsedMs) return undefined;
  // Last, so that nothing is paid for what is not done.
  if (options.budget?.tryRetry() === false) return undefined;
  return delayMs;
}

async function pause(
  delayMs: number,
  { clock }: ResolvedRetryOptions,
  abort: AbortWatch | undefined,
): Promise<void> {
  let cancel: (() => void) | undefined;
  const elapsed = new Promise<void>((resolve) => {
    cancel = clock.after(delayMs, resolve);
  });
  try {
    await (abort?.race(elapsed) ?? elapsed);
  } finally {
    cancel?.();
  }
}

function tell(onRetry: RetryOptions['onRetry'], event: Parameters<NonNullable<RetryOptions['onRetry']>>[0]) {
  try {
    onRetry?.(event);
  } catch (error) {
    warnOnce('onRetry', error);
  }
}
