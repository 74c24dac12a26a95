import { afterEach, expect, test, vi } from 'vitest';
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
