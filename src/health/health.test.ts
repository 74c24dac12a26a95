import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Limiter } from '../adaptive/limiter.js';
import { Health } from './health.js';
import type { HealthOptions } from './health-options.js';
import type { HealthReport } from './health-report.js';

const LIMIT = 20;
const open: Health[] = [];

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => {
  for (const health of open.splice(0)) health.close();
  vi.useRealTimers();
});

function limiter(name: string): Limiter {
  return new Limiter({ name, maxConcurrentOps: LIMIT, now: () => Date.now() });
}

function watch(options: HealthOptions): Health {
  const health = new Health(options);
  open.push(health);
  return health;
}

/** What happens at a limiter in a second, and then the second's look. */
async function second(happenings: readonly [Limiter, 'served' | 'overload'][] = []): Promise<void> {
  for (const [at, outcome] of happenings) at.acquire().release(outcome === 'served' ? 'success' : 'overload');
  await vi.advanceTimersByTimeAsync(1_000);
}

async function seconds(
  count: number,
  ...happenings: readonly [Limiter, 'served' | 'overload'][]
): Promise<void> {
  for (let index = 0; index < count; index++) await second(happenings);
}

const parse = ({ body }: { body: string }) => JSON.parse(body);

describe('readiness', () => {
  test('is there from the beginning, and as long as work is answered', async () => {
    const orders = limiter('orders');
    const health = watch({ required: { orders } });
    const ready = {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
      body: '{"status":"ready","dependencies":{"orders":{"status":"up","required":true}}}',
    };
    expect(health.readyz()).toEqual(ready);
    await seconds(20, [orders, 'served']);
    expect(health.readyz()).toEqual(ready);
  });

  test('is lost after three bad looks in a row, and is back after three good ones', async () => {
    const [orders, stock] = [limiter('orders'), limiter('stock')];
    const health = watch({ required: { orders, stock } });
    const seen: number[] = [];
    for (const outcome of ['overload', 'overload', 'overload', 'served', 'served', 'served'] as const) {
      await second([[orders, outcome]]);
      seen.push(health.readyz().status);
    }
    expect(seen).toEqual([200, 200, 503, 503, 503, 200]);
  });

  test('tells what is wrong', async () => {
    const [orders, stock] = [limiter('orders'), limiter('stock')];
    const health = watch({ required: { orders, stock } });
    await seconds(3, [orders, 'overload'], [orders, 'overload'], [orders, 'served']);
    expect(parse(health.readyz())).toEqual({
      status: 'not-ready',
      reason: 'down: orders',
      dependencies: {
        orders: { status: 'down', required: true, reason: '2 of 3 operations met overload' },
        stock: { status: 'up', required: true },
      },
    });
  });

  test('thresholds, interval and ratio are as told', async () => {
    const [orders, stock] = [limiter('orders'), limiter('stock')];
    const health = watch({
      required: { orders, stock },
      intervalMs: 200,
      failureThreshold: 1,
      successThreshold: 2,
      maxOverloadRatio: 0.3,
    });
    for (const outcome of ['overload', 'success', 'success'] as const) orders.acquire().release(outcome);
    await vi.advanceTimersByTimeAsync(199);
    expect(health.report().status).toBe('ready');
    await vi.advanceTimersByTimeAsync(1);
    expect(health.report().status).toBe('not-ready');
    orders.acquire().release();
    await vi.advanceTimersByTimeAsync(200);
    expect(health.report().status).toBe('not-ready');
    orders.acquire().release();
    await vi.advanceTimersByTimeAsync(200);
    expect(health.report().status).toBe('ready');
  });

  test('is not lost to rejections, however many: a limiter that is full and gets answers is at its best', async () => {
    const [orders, stock] = [limiter('orders'), limiter('stock')];
    const health = watch({ required: { orders, stock } });
    for (let index = 0; index < LIMIT - 1; index++) orders.acquire();
    for (let turn = 0; turn < 10; turn++) {
      const permit = orders.acquire();
      for (let index = 0; index < 100; index++) orders.tryAcquire();
      await vi.advanceTimersByTimeAsync(500);
      permit.release();
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(orders.stats()).toMatchObject({ state: 'open', rejected: 1_000 });
    expect([health.readyz().status, orders.limit]).toEqual([200, LIMIT]);
  });

  test('is lost when nothing comes back: five seconds until that is sure, and three looks', async () => {
    const [orders, stock] = [limiter('orders'), limiter('stock')];
    const health = watch({ required: { orders, stock } });
    const permits = Array.from({ length: LIMIT }, () => orders.acquire());
    const seen: number[] = [];
    for (let index = 0; index < 8; index++) {
      orders.tryAcquire();
      await second();
      seen.push(health.readyz().status);
    }
    expect(seen).toEqual([200, 200, 200, 200, 200, 200, 503, 503]);
    expect(health.report().dependencies.orders?.reason).toBe(
      'no answer, the oldest operation runs for 8000 ms',
    );
    for (const permit of permits) permit.release();
    await seconds(3, [orders, 'served']);
    expect(health.readyz().status).toBe(200);
  });

  test('of an idle instance is not lost to a permit that is held for ever', async () => {
    const orders = limiter('orders');
    const health = watch({ required: { orders, stock: limiter('stock') } });
    orders.acquire();
    await seconds(60);
    await seconds(20, [orders, 'served']);
    expect(health.report().status).toBe('ready');
  });
});

describe('when every required dependency is down', () => {
  const allDown = async (options: HealthOptions) => {
    const [orders, stock, cache] = [limiter('orders'), limiter('stock'), limiter('cache')];
    const health = watch({ required: { orders, stock }, optional: { cache }, ...options });
    await seconds(3, [orders, 'overload'], [stock, 'overload']);
    return health;
  };

  test('the instance stays ready, and says so', async () => {
    const answer = (await allDown({})).readyz();
    expect(answer.status).toBe(200);
    expect(parse(answer)).toMatchObject({
      status: 'degraded',
      reason: 'everything required is down, most likely for all: orders, stock',
    });
  });

  test('it leaves, if told so', async () => {
    const answer = (await allDown({ commonFailure: 'leave' })).readyz();
    expect(answer.status).toBe(503);
    expect(parse(answer)).toMatchObject({ status: 'not-ready', reason: 'down: orders, stock' });
  });
});

describe('what is optional', () => {
  test('leaves the instance ready when it is down or draining', async () => {
    const [orders, cache, search] = [limiter('orders'), limiter('cache'), limiter('search')];
    const health = watch({ required: { orders }, optional: { cache, search } });
    await seconds(3, [cache, 'overload']);
    void search.drain();
    const answer = health.readyz();
    expect(answer.status).toBe(200);
    expect(parse(answer)).toEqual({
      status: 'degraded',
      reason: 'without: cache, search',
      dependencies: {
        orders: { status: 'up', required: true },
        cache: { status: 'down', required: false, reason: '1 of 1 operations met overload' },
        search: { status: 'draining', required: false },
      },
    });
  });
});

describe('draining and shutting down', () => {
  test('a required limiter that drains makes the instance unready at once', async () => {
    const orders = limiter('orders');
    const health = watch({ required: { orders } });
    void orders.drain();
    expect(health.readyz().status).toBe(503);
    expect(parse(health.readyz())).toMatchObject({ status: 'not-ready', reason: 'draining: orders' });
  });

  test('beginShutdown makes it unready at once and for good; it stays alive', async () => {
    const orders = limiter('orders');
    const health = watch({ required: { orders } });
    health.beginShutdown();
    expect(parse(health.readyz())).toMatchObject({ status: 'not-ready', reason: 'shutting down' });
    await seconds(10, [orders, 'served']);
    expect([health.readyz().status, health.livez().status]).toEqual([503, 200]);
    expect(health.livez().body).toBe('{"status":"live"}');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('without any dependency it is ready until then', () => {
    const health = watch({ required: {} });
    expect(health.readyz()).toMatchObject({ status: 200, body: '{"status":"ready","dependencies":{}}' });
    health.beginShutdown();
    expect(health.readyz().status).toBe(503);
  });
});

describe('onChange', () => {
  test('is told of every change, once, and what it throws harms nobody', async () => {
    const [orders, cache] = [limiter('orders'), limiter('cache')];
    const reports: HealthReport[] = [];
    const warned = once(process, 'warning');
    const onChange = (report: HealthReport) => {
      reports.push(report);
      throw new Error('a broken listener');
    };
    const health = watch({ required: { orders }, optional: { cache }, onChange });
    await seconds(5, [cache, 'overload']);
    await seconds(5, [cache, 'served']);
    health.beginShutdown();
    health.beginShutdown();
    expect(reports.map(({ status, dependencies }) => [status, dependencies.cache?.status])).toEqual([
      ['degraded', 'down'],
      ['ready', 'up'],
      ['not-ready', 'up'],
    ]);
    expect((await warned)[0]).toMatchObject({ code: 'FLOODGATE_CALLBACK_THREW' });
  });
});
