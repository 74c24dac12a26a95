import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Limiter } from '../adaptive/limiter.js';
import { BackpressureError } from '../core/backpressure-error.js';
import { Health } from './health.js';
import type { HealthOptions } from './health-options.js';

/** Two required dependencies, of which only `orders` has anything to do, so that its loss makes unready. */
let orders: Limiter;
let health: Health;

function watch(options: HealthOptions = {}): void {
  orders = new Limiter({ name: 'orders', maxConcurrentOps: 100, now: () => Date.now() });
  health = new Health({ required: { orders, stock: new Limiter() }, ...options });
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => {
  health.close();
  vi.useRealTimers();
});

/** A second of work, and its look: what the limit is then. */
async function second(outcome?: 'success' | 'overload'): Promise<number> {
  if (outcome !== undefined) orders.acquire().release(outcome);
  await vi.advanceTimersByTimeAsync(1_000);
  return orders.limit;
}

async function limits(...outcomes: ('success' | 'overload' | undefined)[]): Promise<number[]> {
  const seen: number[] = [];
  for (const outcome of outcomes) seen.push(await second(outcome));
  return seen;
}

const DOWN = ['overload', 'overload', 'overload'] as const;
const UP = ['success', 'success', 'success'] as const;
const GOOD = Array(10).fill('success') as 'success'[];

describe('the limit of a dependency', () => {
  test('is a tenth while it is down, and rises over ten seconds from the look that brings it back', async () => {
    watch();
    expect(await limits(...DOWN, 'overload')).toEqual([100, 100, 10, 10]);
    expect(await limits(...UP)).toEqual([10, 10, 19]);
    expect(health.readyz().status).toBe(200);
    expect(await limits(...GOOD)).toEqual([28, 37, 46, 55, 64, 73, 82, 91, 100, 100]);
  });

  test('rises in the time, and from the share, that it is told', async () => {
    watch({ rampMs: 4_000, rampFrom: 0.2 });
    await limits(...DOWN);
    expect(await limits(...UP, 'success', 'success', 'success')).toEqual([20, 20, 40, 60, 80, 100]);
  });

  test('is never touched with rampMs 0', async () => {
    watch({ rampMs: 0 });
    await limits(...DOWN, ...UP);
    expect(orders.history()).toEqual([]);
  });

  test('is moved by one of several that watch it: afterwards it is what it was', async () => {
    watch();
    const second = new Health({ required: { orders } });
    expect(await limits(...DOWN, 'overload')).toEqual([100, 100, 10, 10]);
    expect(await limits(...UP)).toEqual([10, 10, 19]);
    expect((await limits(...GOOD)).at(-1)).toBe(100);
    expect(second.report().status).toBe('ready');
    // And again, now that nobody holds it.
    expect((await limits(...DOWN, ...UP, ...GOOD)).at(-1)).toBe(100);
    second.close();
    expect(orders.limit).toBe(100);
  });

  test('does not rise on a bad look, and falls again when it goes down again', async () => {
    watch();
    await limits(...DOWN, ...UP);
    expect(await limits('success', 'overload', 'success', ...DOWN)).toEqual([28, 28, 37, 37, 37, 10]);
    expect(await limits(...UP)).toEqual([10, 10, 19]);
  });

  test('rises without traffic too: a quiet night does not leave it low', async () => {
    watch();
    await limits(...DOWN, ...UP);
    await limits(...Array(9).fill(undefined));
    expect(orders.limit).toBe(100);
  });

  test.each(['close', 'beginShutdown'] as const)('is given back at once by %s', async (end) => {
    watch();
    await limits(...DOWN);
    health[end]();
    expect(orders.limit).toBe(100);
    await second('overload');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that moves by itself is not touched', async () => {
    orders = new Limiter({ maxConcurrentOps: 100, adaptive: { initial: 40 }, now: () => Date.now() });
    health = new Health({ required: { orders } });
    await limits(...DOWN, ...UP);
    expect(orders.history().filter(({ reason }) => reason.startsWith('health'))).toEqual([]);
  });

  test('whose permits are all held for long makes room, so that it can be seen to be back', async () => {
    watch();
    for (let index = 0; index < 15; index++) orders.acquire();
    await limits(...DOWN);
    expect(orders.limit).toBe(10);
    // Everything is rejected: nothing could ever be answered.
    expect(orders.tryAcquire()).toBeUndefined();
    expect(await second()).toBe(16);
    await limits(...UP);
    expect(health.readyz().status).toBe(200);
  });
});

describe('a dependency that is down and has no traffic', () => {
  test('is back after three looks: silence is the only sign that can come', async () => {
    watch();
    await limits(...DOWN);
    expect(health.readyz().status).toBe(503);
    await limits(undefined, undefined);
    expect(health.readyz().status).toBe(503);
    await second();
    expect(health.readyz().status).toBe(200);
  });

  test('with a check, comes back when that succeeds; it is asked at no other time', async () => {
    let works = false;
    const check = vi.fn(async () => {
      if (!works) throw new Error('connection refused');
    });
    watch({ checks: { orders: check } });
    await limits(...UP, undefined, undefined, ...DOWN, 'overload');
    expect(check).not.toHaveBeenCalled();
    await limits(...Array(20).fill(undefined));
    expect(health.report().dependencies.orders).toMatchObject({ status: 'down', reason: 'the check fails' });
    expect(check).toHaveBeenCalledTimes(20);
    works = true;
    await limits(undefined, undefined, undefined);
    expect(health.readyz().status).toBe(503);
    await second();
    expect(health.readyz().status).toBe(200);
    await limits(undefined, undefined);
    expect(check).toHaveBeenCalledTimes(24);
  });

  test('stays down while its check does not answer, and is not asked twice at a time', async () => {
    const check = vi.fn(() => new Promise(() => {}));
    watch({ checks: { orders: check } });
    await limits(...DOWN, ...Array(20).fill(undefined));
    expect(check).toHaveBeenCalledTimes(1);
    expect(health.report().dependencies.orders).toMatchObject({
      status: 'down',
      reason: 'the check does not answer',
    });
  });

  test('learns nothing from a check that a limiter rejects, and takes a plain function', async () => {
    const rejection = new BackpressureError({
      reason: 'limit',
      limiter: 'probe',
      operation: 'query',
      limit: 1,
      inFlight: 1,
      retryAfterMs: 1_000,
    });
    let rejected = true;
    const check = () => {
      if (rejected) throw rejection;
    };
    watch({ checks: { orders: check } });
    await limits(...DOWN, ...Array(20).fill(undefined));
    expect(health.report().dependencies.orders?.reason).toBe('1 of 1 operations met overload');
    rejected = false;
    await limits(...Array(4).fill(undefined));
    expect(health.readyz().status).toBe(200);
  });
});
