import { afterEach, describe, expect, test, vi } from 'vitest';
import { Limiter } from './limiter.js';
import { Observers } from './observers.js';

afterEach(() => {
  vi.restoreAllMocks();
});

test('admissions and releases cost nothing while observers listen to other things', async () => {
  const tell = vi.spyOn(Observers.prototype, 'tell');
  const limiter = new Limiter({ maxConcurrentOps: 1 });
  limiter.subscribe({ onLimitChange: () => {}, onReject: () => {}, onLatency: () => {} });
  await limiter.run(() => limiter.tryAcquire());
  expect(tell.mock.calls.map(([event]) => event)).toEqual(['onReject', 'onLatency']);
});

test('observers hear how long a failed operation took, which is no latency sample, and nothing of an ignored one', () => {
  let now = 0;
  const limiter = new Limiter({ now: () => now });
  const onLatency = vi.fn();
  limiter.subscribe({ onLatency });
  for (const outcome of ['success', 'failed', 'overload', 'ignored'] as const) {
    const permit = limiter.acquire();
    now += outcome === 'failed' ? 5000 : 10;
    permit.release(outcome);
  }
  expect(onLatency.mock.calls).toEqual([
    ['default', 10, 'success'],
    ['default', 5000, 'failed'],
    ['default', 10, 'overload'],
  ]);
  expect(limiter.stats().latency.p99).toBeCloseTo(10, 0);
});

describe('what an observer changes itself', () => {
  test('is told after what it has just heard, so that the others hear all changes in order', () => {
    const limiter = new Limiter({ maxConcurrentOps: 100 });
    const heard: number[] = [];
    limiter.subscribe({ onLimitChange: ({ to }) => to < 10 && limiter.resize(10) });
    limiter.subscribe({ onLimitChange: ({ to }) => void heard.push(to) });
    limiter.resize(5);
    limiter.resize(30);
    expect([heard, limiter.limit]).toEqual([[5, 10, 30], 30]);
  });

  test('is not told for ever where observers set themselves and each other off: 16 times in a row, with one warning', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    const alternate = vi.fn(() => limiter.resize(3 - limiter.limit));
    for (let times = 0; times < 3; times++) limiter.subscribe({ onLimitChange: alternate });
    limiter.resize(1);
    expect([alternate.mock.calls.length, limiter.limit]).toEqual([3 * 16, 1]);
    const { limitIncreases, limitDecreases } = limiter.stats();
    expect([limitIncreases, limitDecreases]).toEqual([24, 25]);
    limiter.resize(2);
    expect(alternate).toHaveBeenCalledTimes(2 * 3 * 16);
    expect(emitWarning.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual([
      'onLimitChange threw; floodgate goes on without it. RangeError: set off by its own changes 16 times in a row: not told further',
    ]);
  });

  test('is not told for ever either where it listens to the state', () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    const onStateChange = vi.fn(() => limiter.resize(3 - limiter.limit));
    limiter.acquire();
    limiter.subscribe({ onStateChange });
    limiter.resize(1);
    expect(onStateChange).toHaveBeenCalledTimes(16);
  });

  test('leaves later changes to be told as before', () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    const undo = limiter.subscribe({ onLimitChange: () => limiter.resize(3 - limiter.limit) });
    limiter.resize(1);
    undo();
    const onLimitChange = vi.fn();
    limiter.subscribe({ onLimitChange });
    limiter.resize(3 - limiter.limit);
    expect(onLimitChange).toHaveBeenCalledTimes(1);
  });
});
