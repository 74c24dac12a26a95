import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { openLoop } from '../support/open-loop.js';
import { barePool, limitedPool } from '../support/pool-under-test.js';
import { note } from './support/note.js';
import { latencies, median } from './support/statistics.js';

const CONNECTIONS = 10;
const QUERY_TIMEOUT_MS = 200;
const config = { max: CONNECTIONS, query_timeout: QUERY_TIMEOUT_MS };
const { url } = inject('postgres');

/** 50 queries a second that take 5 s each, for callers who wait 200 ms; looks at the server while they come in. */
async function stuckQueries(pool: pg.Pool, name: string, operator: Operator, durationMs: number) {
  const load = openLoop({ ratePerSecond: 50, durationMs }, () => pool.query('select pg_sleep(5)'));
  let active = 0;
  let over = false;
  void load.sent.then(() => {
    over = true;
  });
  while (!over) {
    active = Math.max(active, await operator.active(name));
    await sleep(20);
  }
  const arrivals = await load.answered;
  active = Math.max(active, await operator.active(name));
  return { arrivals, active };
}

describe('query_timeout fires and the backend runs on (brianc/node-postgres#1954)', () => {
  test('bare: backends pile up far past the size of the pool', async () => {
    await using operator = await openOperator(url);
    await using bare = barePool(url, config);
    const { active } = await stuckQueries(bare.pool, bare.name, operator, 1_000);
    note('bare', { active });
    await operator.terminate(bare.name);
    expect(active).toBeGreaterThan(2 * CONNECTIONS);
  });

  test('limited: never more backends at work than permits, and the caller has its timeout all the same', async () => {
    await using operator = await openOperator(url);
    await using limited = limitedPool(url, { maxConcurrentOps: CONNECTIONS }, config);
    const { arrivals, active } = await stuckQueries(limited.pool, limited.name, operator, 4_000);
    const timedOut = latencies(arrivals, 'failed');
    const rejected = latencies(arrivals, 'rejected');
    note('limited', { active, timedOut: timedOut.length, p50: median(timedOut), rejected: rejected.length });
    expect(active).toBe(CONNECTIONS);
    // One statement takes 5 s: ten of them have the permits for all of the load.
    expect(timedOut).toHaveLength(CONNECTIONS);
    expect(rejected).toHaveLength(arrivals.length - CONNECTIONS);
    expect(limited.limiter.inFlight).toBe(CONNECTIONS);
    expect(median(timedOut)).toBeLessThan(QUERY_TIMEOUT_MS + 100);
    expect(median(rejected)).toBeLessThan(2);
    await operator.cancel(limited.name);
    await expect.poll(() => limited.limiter.inFlight).toBe(0);
    expect(limited.limiter.stats().overloaded).toBe(CONNECTIONS);
    expect(await operator.active(limited.name)).toBe(0);
  });

  test('limited, abandoned statements cancelled: permits come back with the timeout, and most are served one', async () => {
    await using operator = await openOperator(url);
    const options = { maxConcurrentOps: CONNECTIONS, abandonedStatements: 'cancel' } as const;
    await using limited = limitedPool(url, options, config);
    const { arrivals, active } = await stuckQueries(limited.pool, limited.name, operator, 4_000);
    const timedOut = latencies(arrivals, 'failed');
    note('limited, cancelling', {
      active,
      timedOut: timedOut.length / arrivals.length,
      p50: median(timedOut),
    });
    expect(active).toBeLessThanOrEqual(CONNECTIONS);
    expect(timedOut.length).toBeGreaterThan(0.5 * arrivals.length);
    expect(median(timedOut)).toBeLessThan(QUERY_TIMEOUT_MS + 100);
    await expect.poll(() => limited.limiter.inFlight).toBe(0);
    expect(await operator.active(limited.name)).toBe(0);
  });
});
