import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BackpressureError } from '../core/backpressure-error.js';
import { type RetryAttempt, retry } from './retry.js';

/** Every wait is 200 ms. */
const options = { random: () => 0, budget: false } as const;
const rejection = () =>
  new BackpressureError({
    reason: 'limit',
    limiter: 'orders',
    operation: 'query',
    limit: 1,
    inFlight: 1,
    retryAfterMs: 200,
  });
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('an aborted signal', () => {
  test('ends it before the first attempt', async () => {
    const fn = vi.fn();
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(retry(fn, { ...options, signal })).rejects.toThrow('gone');
    expect([fn.mock.calls.length, listeners(signal)]).toEqual([0, 0]);
  });

  test('ends it at once while an attempt runs, which goes on by itself', async () => {
    const caller = new AbortController();
    let given: AbortSignal | undefined;
    const slow = ({ signal }: RetryAttempt) => {
      given = signal;
      return new Promise((_, reject) => setTimeout(() => reject(rejection()), 1_000));
    };
    const outcome = retry(slow, { ...options, signal: caller.signal });
    caller.abort('gone');
    await expect(outcome).rejects.toBe('gone');
    expect([given, listeners(caller.signal)]).toEqual([caller.signal, 0]);
    // Its late rejection belongs to nobody; an unhandled one would fail this run.
    await vi.advanceTimersByTimeAsync(2_000);
  });

  test('ends it at once while it waits, and takes the timer away', async () => {
    const caller = new AbortController();
    const fn = vi.fn(() => Promise.reject(rejection()));
    const outcome = retry(fn, { ...options, signal: caller.signal });
    await vi.advanceTimersByTimeAsync(199);
    expect([vi.getTimerCount(), listeners(caller.signal)]).toEqual([1, 1]);
    caller.abort('gone');
    await expect(outcome).rejects.toBe('gone');
    expect([vi.getTimerCount(), listeners(caller.signal)]).toEqual([0, 0]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  test('has the last word over an attempt that fails in the same moment', async () => {
    const caller = new AbortController();
    const fn = async () => {
      caller.abort('gone');
      throw new Error('aborted by the database client');
    };
    await expect(retry(fn, { ...options, signal: caller.signal })).rejects.toBe('gone');
  });

  test('ends all who wait for it, and they have one listener: Node warns of a leak from eleven on', async () => {
    const caller = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const calls = Array.from({ length: 50 }, () =>
      retry(() => Promise.reject(rejection()), { ...options, signal: caller.signal }),
    );
    const outcomes = Promise.allSettled(calls);
    await vi.advanceTimersByTimeAsync(100);
    expect([vi.getTimerCount(), listeners(caller.signal)]).toEqual([50, 1]);
    caller.abort('gone');
    expect(await outcomes).toEqual(Array(50).fill({ status: 'rejected', reason: 'gone' }));
    expect([vi.getTimerCount(), listeners(caller.signal), warnings]).toEqual([0, 0, []]);
    process.off('warning', onWarning);
  });

  test('that never aborts is left without a listener, whatever becomes of the call', async () => {
    const { signal } = new AbortController();
    const calls = [
      retry(() => 'served', { ...options, signal }),
      retry(({ attempt }) => (attempt === 3 ? 'served' : Promise.reject(rejection())), {
        ...options,
        signal,
      }),
      retry(() => Promise.reject(rejection()), { ...options, signal }),
      retry(() => Promise.reject(new Error('no rejection')), { ...options, signal }),
    ];
    const outcomes = Promise.allSettled(calls);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect([vi.getTimerCount(), listeners(signal)]).toEqual([0, 0]);
  });
});
