import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BackpressureError, type RejectReason } from '../core/backpressure-error.js';
import { Limiter } from '../core/limiter.js';
import { type RetryAttempt, retry } from './retry.js';
import { RetryBudget } from './retry-budget.js';
import type { RetryEvent, RetryOptions } from './retry-options.js';

function rejection(retryAfterMs = 100, reason: RejectReason = 'limit'): BackpressureError {
  return new BackpressureError({
    reason,
    limiter: 'orders',
    operation: 'query',
    limit: 1,
    inFlight: 1,
    retryAfterMs,
  });
}

/** Half of each random part, no budget. */
const half = { random: () => 0.5, budget: false } as const;
/** Lets time pass; nobody sleeps. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** Throws these one after the other, then answers; `at` tells when it was called. */
function failing(errors: readonly unknown[]) {
  const at: number[] = [];
  const fn = async ({ attempt }: RetryAttempt) => {
    at.push(Date.now());
    expect(attempt).toBe(at.length);
    if (at.length <= errors.length) throw errors[at.length - 1];
    return 'served';
  };
  return { fn, at };
}

/** What has become of a promise by now. */
function outcomeOf(promise: Promise<unknown>) {
  const seen: { value?: unknown; error?: unknown; settled: boolean } = { settled: false };
  promise.then(
    (value) => Object.assign(seen, { value, settled: true }),
    (error) => Object.assign(seen, { error, settled: true }),
  );
  return seen;
}

describe('retry', () => {
  test('gives back what the function returns, be it a promise or not', async () => {
    expect([await retry(async () => 42), await retry(() => 42)]).toEqual([42, 42]);
  });

  test('tries again after what was asked for and half of the doubling random part', async () => {
    const { fn, at } = failing([rejection(100), rejection(50)]);
    const outcome = outcomeOf(retry(fn, half));
    await pass(10_000);
    expect(outcome).toEqual({ value: 'served', settled: true });
    expect(at).toEqual([0, 200, 450]);
  });

  test('gives up after three attempts, with the last rejection itself', async () => {
    const errors = [rejection(), rejection(), rejection(), rejection()];
    const { fn, at } = failing(errors);
    const outcome = outcomeOf(retry(fn, half));
    await pass(60_000);
    expect(outcome.error).toBe(errors[2]);
    expect(at).toHaveLength(3);
  });

  test.each([1, 2, 7])('makes %d attempts if told so', async (maxAttempts) => {
    const { fn, at } = failing(Array.from({ length: 10 }, () => rejection()));
    const outcome = outcomeOf(retry(fn, { ...half, maxAttempts }));
    await pass(600_000);
    expect([at.length, outcome.settled]).toEqual([maxAttempts, true]);
  });

  test.each(['cause', 'original', 'parent'])('knows a rejection wrapped as %s', async (key) => {
    const wrapped = () => Object.assign(new Error('of an ORM'), { [key]: rejection() });
    const errors = [wrapped(), wrapped(), wrapped()];
    const { fn, at } = failing(errors);
    const outcome = outcomeOf(retry(fn, half));
    await pass(10_000);
    expect([at.length, outcome.error]).toEqual([3, errors[2]]);
  });

  test.each([
    ['an error of the database', new Error('deadlock detected')],
    ['a rejection of a draining limiter', rejection(100, 'draining')],
    ['what is no error', undefined],
  ])('does not try again after %s', async (_, error) => {
    const { fn, at } = failing([error]);
    const outcome = outcomeOf(retry(fn, half));
    await pass(0);
    expect(outcome).toEqual({ error, settled: true });
    expect(at).toEqual([0]);
  });

  test('takes what is thrown at once as a rejection too', async () => {
    const error = new Error('at once');
    const outcome = retry(() => {
      throw error;
    });
    await expect(outcome).rejects.toBe(error);
  });

  test('holds no permit while it waits', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1, retryAfterMs: 100, now: () => Date.now() });
    const permit = limiter.acquire();
    const outcome = outcomeOf(retry(() => limiter.run(() => 'served'), half));
    await pass(150);
    permit.release();
    expect(limiter.inFlight).toBe(0);
    await pass(49);
    expect(outcome.settled).toBe(false);
    await pass(1);
    expect(outcome.value).toBe('served');
    expect(limiter.stats()).toMatchObject({ admitted: 2, rejected: 1, inFlight: 0 });
  });

  test('tells of each wait, and goes on if the listener throws', async () => {
    const errors = [rejection(), rejection(0)];
    const { fn } = failing(errors);
    const events: RetryEvent[] = [];
    const warned = once(process, 'warning');
    const onRetry = (event: RetryEvent) => {
      events.push(event);
      throw new Error('a broken listener');
    };
    const outcome = outcomeOf(retry(fn, { ...half, onRetry }));
    await pass(1_000);
    expect(outcome.value).toBe('served');
    expect(events).toEqual([
      { attempt: 1, delayMs: 200, error: errors[0] },
      { attempt: 2, delayMs: 200, error: errors[1] },
    ]);
    expect((await warned)[0]).toMatchObject({ code: 'FLOODGATE_CALLBACK_THREW' });
  });

  test('does not wait for an attempt that would come too late', async () => {
    const errors = [rejection(), rejection(), rejection()];
    const { fn, at } = failing(errors);
    const outcome = outcomeOf(retry(fn, { ...half, maxElapsedMs: 499 }));
    await pass(200);
    expect([at, outcome.error]).toEqual([[0, 200], errors[1]]);
  });
});

describe('the budget', () => {
  const many = (count: number, fn: () => unknown, options: RetryOptions) =>
    Array.from({ length: count }, () => outcomeOf(retry(fn, options)));

  test('is paid by every retry; without it the rejection comes at once', async () => {
    const budget = new RetryBudget({ ratio: 0.1, minPerSecond: 0, now: () => Date.now() });
    let attempts = 0;
    const refuse = () => {
      attempts++;
      throw rejection();
    };
    const outcomes = many(100, refuse, { ...half, budget });
    await pass(0);
    expect(outcomes.filter(({ settled }) => settled)).toHaveLength(90);
    await pass(60_000);
    expect(outcomes.filter(({ settled }) => settled)).toHaveLength(100);
    expect(attempts).toBe(110);
  });

  test('is not paid by what is not retried', async () => {
    const budget = new RetryBudget();
    const calls = [
      retry(() => 'served', { ...half, budget }),
      retry(() => Promise.reject(new Error('no rejection')), { ...half, budget }),
      retry(() => Promise.reject(rejection(100, 'draining')), { ...half, budget }),
      retry(() => Promise.reject(rejection()), { ...half, budget, maxAttempts: 1 }),
      retry(() => Promise.reject(rejection()), { ...half, budget, maxElapsedMs: 10 }),
    ];
    await Promise.allSettled(calls);
    expect(budget.stats()).toMatchObject({ calls: 5, retries: 0, refused: 0 });
  });

  test('is shared by all calls that bring none', async () => {
    let attempts = 0;
    const refuse = () => {
      attempts++;
      throw rejection(0);
    };
    many(100, refuse, {});
    many(100, refuse, {});
    await pass(600_000);
    // Ten of the floor, one for ten calls, and what this file has called before.
    expect(attempts).toBeGreaterThanOrEqual(230);
    expect(attempts).toBeLessThanOrEqual(232);
  });
});

test('a clock of the caller is the one that is waited by', async () => {
  const timers: { ms: number; fire: () => void }[] = [];
  const clock = {
    now: () => 0,
    after: (ms: number, fire: () => void) => {
      timers.push({ ms, fire });
      return () => {};
    },
  };
  const { fn } = failing([rejection(5)]);
  const outcome = outcomeOf(retry(fn, { ...half, clock }));
  await pass(10_000);
  expect([timers[0]?.ms, outcome.settled, vi.getTimerCount()]).toEqual([105, false, 0]);
  timers[0]!.fire();
  await pass(0);
  expect(outcome.value).toBe('served');
});

describe('bad input', () => {
  const served = () => 'served';

  test.each<[object, string]>([
    [{ maxAttempts: 0 }, 'maxAttempts must be an integer >= 1, got 0 (number)'],
    [{ maxAttempts: '3' }, "maxAttempts must be an integer >= 1, got '3' (string)"],
    [
      { baseDelayMs: -1 },
      'baseDelayMs must be a number of milliseconds from 0 to 2147483647, got -1 (number)',
    ],
    [{ maxDelayMs: Number.NaN }, 'maxDelayMs must be a number of milliseconds'],
    [{ maxElapsedMs: '1s' }, 'maxElapsedMs must be a number of milliseconds'],
    [{ budget: true }, 'budget must be a RetryBudget or false, got true (boolean)'],
    [{ budget: { ratio: 0.1 } }, 'budget must be a RetryBudget or false, got an object (Object)'],
    [{ signal: {} }, 'signal must be an AbortSignal, got an object (Object)'],
    [{ onRetry: 1 }, 'onRetry must be a function, got 1 (number)'],
    [{ random: 0.5 }, 'random must be a function, got 0.5 (number)'],
    [{ clock: { now: served } }, 'clock must be an object with now() and after(), got an object (Object)'],
    [{ attempts: 3 }, "unknown retry option 'attempts' (did you mean 'maxAttempts'?)"],
    [{ retries: 3 }, "unknown retry option 'retries' (did you mean 'maxAttempts'?)"],
  ])('%o is refused, and the function not called', async (options, message) => {
    const fn = vi.fn(served);
    const error = await retry(fn, options).catch((thrown) => thrown);
    expect(error.message).toContain(`floodgate: ${message}`);
    expect(fn).not.toHaveBeenCalled();
  });

  test('no function is refused', async () => {
    await expect(retry(42 as never)).rejects.toThrow('floodgate: fn must be a function, got 42 (number)');
    await expect(retry(served, 3 as never)).rejects.toThrow(
      'retry options must be an object, got 3 (number)',
    );
  });
});
