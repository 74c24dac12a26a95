import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Limiter } from './limiter.js';

/** Whether a promise has settled by now, without waiting for it. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  const first = await Promise.race([
    promise.catch(() => {}),
    Promise.resolve(pending).then((value) => value),
  ]);
  return first !== pending;
}

describe('drain', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('resolves when the last operation ends, not before', async () => {
    const limiter = new Limiter();
    const permits = [limiter.acquire(), limiter.acquire()];
    const draining = limiter.drain();
    permits[0]!.release();
    expect([await settled(draining), limiter.stats().state]).toEqual([false, 'draining']);
    permits[1]!.release();
    await draining;
    expect(limiter.stats()).toMatchObject({ state: 'drained', inFlight: 0, running: 0 });
  });

  test('resolves when the last run ends', async () => {
    const limiter = new Limiter();
    let reject: (error: Error) => void = () => {};
    const running = limiter.run(
      () =>
        new Promise((_, fail) => {
          reject = fail;
        }),
    );
    const draining = limiter.drain();
    reject(new Error('late'));
    await expect(running).rejects.toThrow('late');
    await draining;
    expect(limiter.stats().state).toBe('drained');
  });

  test('resolves at once when nothing runs', async () => {
    const limiter = new Limiter();
    await limiter.drain();
    expect(limiter.stats().state).toBe('drained');
  });

  test('admits nothing more, for good', async () => {
    const limiter = new Limiter({ name: 'orders' });
    limiter.acquire();
    limiter.drain();
    expect(() => limiter.acquire()).toThrow(
      'orders: acquire rejected, the limiter is draining (1 in flight, limit 1000)',
    );
    await expect(limiter.run(() => 1)).rejects.toMatchObject({ reason: 'draining' });
    expect(limiter.tryAcquire()).toBe(undefined);
    expect(limiter.stats().rejectedByReason).toEqual({ draining: 3 });
  });

  test('resolves at its timeout with work still running', async () => {
    const limiter = new Limiter();
    limiter.acquire();
    const draining = limiter.drain({ timeoutMs: 500 });
    await vi.advanceTimersByTimeAsync(499);
    expect(await settled(draining)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await draining;
    expect(limiter.stats()).toMatchObject({ state: 'draining', running: 1 });
  });

  test('tells the wrappers of clients that its time is up, once, and only then', async () => {
    const limiter = new Limiter();
    const waiting = limiter.acquire();
    const refuseWaiting = vi.fn(() => waiting.release('ignored'));
    limiter.gate.onDrainDeadline(refuseWaiting);
    await expect(limiter.drain({ timeoutMs: 20, signal: AbortSignal.abort('no') })).rejects.toBe('no');
    const draining = limiter.drain({ timeoutMs: 20 });
    await vi.advanceTimersByTimeAsync(19);
    expect(refuseWaiting).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(1);
    await draining;
    await limiter.drain({ timeoutMs: 20 });
    await vi.advanceTimersByTimeAsync(100);
    expect([refuseWaiting.mock.calls.length, limiter.stats().state]).toEqual([1, 'drained']);
  });

  test('that ends in time leaves no timer behind', async () => {
    const limiter = new Limiter();
    const permit = limiter.acquire();
    const draining = limiter.drain({ timeoutMs: 60_000 });
    expect(vi.getTimerCount()).toBe(1);
    permit.release();
    await draining;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is aborted rejects with the reason of the signal and goes on draining', async () => {
    const limiter = new Limiter();
    const permit = limiter.acquire();
    const controller = new AbortController();
    const draining = limiter.drain({ signal: controller.signal, timeoutMs: 60_000 });
    const reason = new Error('stop waiting');
    controller.abort(reason);
    await expect(draining).rejects.toBe(reason);
    expect([limiter.stats().state, vi.getTimerCount()]).toEqual(['draining', 0]);
    permit.release();
    expect(limiter.stats().state).toBe('drained');
  });

  test('with a signal that is aborted already rejects and drains all the same', async () => {
    const limiter = new Limiter();
    limiter.acquire();
    await expect(limiter.drain({ signal: AbortSignal.abort('too late') })).rejects.toBe('too late');
    expect(limiter.stats().state).toBe('draining');
  });

  test('takes its listener off the signal however it ends', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const limiter = new Limiter();
    const permit = limiter.acquire();
    const timedOut = limiter.drain({ signal, timeoutMs: 10 });
    await vi.advanceTimersByTimeAsync(10);
    await timedOut;
    const draining = limiter.drain({ signal });
    permit.release();
    await draining;
    expect(added).toHaveBeenCalledTimes(2);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });

  test('keeps nothing of a wait that has timed out', async () => {
    const limiter = new Limiter();
    const permit = limiter.acquire();
    const told: string[] = [];
    limiter.gate.drain(() => told.push('still waits'));
    limiter.gate.drain(() => told.push('has stopped'))();
    const stopWaiting = vi.fn();
    vi.spyOn(limiter.gate, 'drain').mockReturnValueOnce(stopWaiting);
    const draining = limiter.drain({ timeoutMs: 1 });
    await vi.advanceTimersByTimeAsync(1);
    await draining;
    permit.release();
    expect([told, stopWaiting.mock.calls.length]).toEqual([['still waits'], 1]);
  });

  test('may be called by several, who all wait for the same end', async () => {
    const limiter = new Limiter();
    const permit = limiter.acquire();
    const controller = new AbortController();
    const drains = [
      limiter.drain(),
      limiter.drain({ timeoutMs: 5 }),
      limiter.drain(),
      limiter.drain({ signal: controller.signal }),
    ];
    const ends = Promise.allSettled(drains);
    controller.abort('gave up');
    await vi.advanceTimersByTimeAsync(5);
    expect(await Promise.all(drains.map(settled))).toEqual([false, true, false, true]);
    permit.release();
    expect((await ends).map((end) => end.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
  });

  test.each([
    [
      { timeoutMs: -1 },
      RangeError,
      'timeoutMs must be a number of milliseconds from 0 to 2147483647, got -1 (number)',
    ],
    [
      { timeoutMs: Number.NaN },
      RangeError,
      'timeoutMs must be a number of milliseconds from 0 to 2147483647, got NaN (number)',
    ],
    [
      { timeoutMs: 2 ** 31 },
      RangeError,
      'timeoutMs must be a number of milliseconds from 0 to 2147483647, got 2147483648 (number)',
    ],
    [
      { timeoutMs: '5' },
      TypeError,
      "timeoutMs must be a number of milliseconds from 0 to 2147483647, got '5' (string)",
    ],
    [
      { timeoutMs: null },
      TypeError,
      'timeoutMs must be a number of milliseconds from 0 to 2147483647, got null',
    ],
    [{ signal: {} }, TypeError, 'signal must be an AbortSignal, got an object (Object)'],
    [{ timeout: 5 }, TypeError, "unknown drain option 'timeout' (did you mean 'timeoutMs'?)"],
    [null, TypeError, 'drain options must be an object, got null'],
    [500, TypeError, 'drain options must be an object, got 500 (number)'],
  ])('with options %o rejects and does not drain', async (options, type, message) => {
    const limiter = new Limiter();
    await expect(limiter.drain(options as never)).rejects.toThrow(new type(`floodgate: ${message}`));
    expect(limiter.stats().state).toBe('open');
  });
});
