import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { openLoop } from '../support/open-loop.js';
import { barePool, limitedPool } from '../support/pool-under-test.js';
import { capacityOf } from './support/capacity.js';
import { note } from './support/note.js';
import { queued } from './support/queued.js';
import { latencies, median, only, percentile } from './support/statistics.js';

const CONNECTIONS = 10;
const { url } = inject('postgres');
const ask = (pool: pg.Pool) => pool.query('select pg_sleep(0.05)');

/** Three times what the pool can do, and then nothing. */
async function spike(pool: pg.Pool, durationMs: number) {
  const capacity = await capacityOf(() => ask(pool), CONNECTIONS);
  const load = openLoop({ ratePerSecond: 3 * capacity, durationMs }, () => ask(pool));
  await load.sent;
  const leftOver = queued(pool);
  const over = performance.now();
  const arrivals = await load.answered;
  return { arrivals, capacity, leftOver, backlogMs: performance.now() - over };
}

describe('a spike of three times the capacity (brianc/node-postgres#2262)', () => {
  test('bare: everyone waits for seconds, and long after the spike', async () => {
    await using bare = barePool(url, { max: CONNECTIONS });
    const { arrivals, leftOver, backlogMs } = await spike(bare.pool, 1_500);
    const served = latencies(arrivals, 'served');
    note('bare', { p50: median(served), p99: percentile(served, 0.99), leftOver, backlogMs });
    expect(leftOver).toBeGreaterThan(arrivals.length / 2);
    expect(backlogMs).toBeGreaterThan(1_500);
    expect(median(served)).toBeGreaterThan(1_000);
  });

  test('bare with a connect timeout: many wait for it in vain', async () => {
    await using bare = barePool(url, { max: CONNECTIONS, connectionTimeoutMillis: 500 });
    const { arrivals } = await spike(bare.pool, 1_500);
    const failed = only(arrivals, 'failed');
    const waits = failed.map(({ latencyMs }) => latencyMs);
    note('bare, connect timeout 500 ms', { failed: failed.length / arrivals.length, p50: median(waits) });
    expect(String(failed[0]?.error)).toBe('Error: timeout exceeded when trying to connect');
    expect(failed.length).toBeGreaterThan(arrivals.length / 3);
    expect(Math.min(...waits)).toBeGreaterThan(490);
  });

  test('limited: rejections at once, the others in time, nearly all of the capacity used and nothing left over', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: CONNECTIONS }, { max: CONNECTIONS });
    const { arrivals, capacity, leftOver, backlogMs } = await spike(limited.pool, 5_000);
    const served = latencies(arrivals, 'served');
    const rejected = latencies(arrivals, 'rejected');
    const goodput = served.length / 5 / capacity;
    const [p50, p99] = [median(served), percentile(served, 0.99)];
    note('limited', { goodput, p50, p99, rejectedP99: percentile(rejected, 0.99), backlogMs });
    expect(served.length + rejected.length).toBe(arrivals.length);
    expect(median(rejected)).toBeLessThan(0.5);
    expect(percentile(rejected, 0.99)).toBeLessThan(2);
    expect(p99).toBeLessThan(250);
    expect(goodput).toBeGreaterThanOrEqual(0.9);
    expect(leftOver).toBe(0);
    expect(backlogMs).toBeLessThan(250);
    expect(limited.limiter.inFlight).toBe(0);
  });
});
