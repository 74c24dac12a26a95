import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { openLoop } from '../support/open-loop.js';
import { barePool, limitedPool } from '../support/pool-under-test.js';
import { capacityOf } from './support/capacity.js';
import { freeHeap, heapBytes } from './support/heap.js';
import { note } from './support/note.js';
import { only, slope } from './support/statistics.js';

const CONNECTIONS = 10;
const PAYLOAD_BYTES = 10_000;
const { url } = inject('postgres');
const payload = () => randomBytes(PAYLOAD_BYTES / 2).toString('hex');
const ask = (pool: pg.Pool) => pool.query('select pg_sleep(0.05), length($1)', [payload()]);

/** The heap in MB, once a second while three times the capacity comes in. */
async function heapUnderLoad(pool: pg.Pool, durationMs: number) {
  const ratePerSecond = 3 * (await capacityOf(() => ask(pool), CONNECTIONS));
  const load = openLoop({ ratePerSecond, durationMs }, () => ask(pool));
  const heap: [second: number, megabytes: number][] = [];
  for (let second = 0; second < durationMs / 1000; second++) {
    heap.push([second, (await heapBytes()) / 1e6]);
    await sleep(1_000);
  }
  return { growth: slope(heap), load };
}

describe('memory under three times the capacity (brianc/node-postgres#2894)', () => {
  test('bare: grows with every query that waits, payload and all', async () => {
    await using bare = barePool(url, { max: CONNECTIONS });
    const { growth } = await heapUnderLoad(bare.pool, 3_000);
    note('bare', { megabytesPerSecond: growth });
    // Twice the capacity waits: some 380 payloads of 10 kB each second.
    expect(growth).toBeGreaterThan(1.9);
  });

  test('limited: is flat, whatever comes in', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: CONNECTIONS }, { max: CONNECTIONS });
    const { growth, load } = await heapUnderLoad(limited.pool, 15_000);
    const arrivals = await load.answered;
    const rejected = only(arrivals, 'rejected').length;
    note('limited', { megabytesPerSecond: growth, rejected });
    expect(rejected).toBeGreaterThan(arrivals.length / 2);
    // This test itself keeps a record of each of 600 calls a second.
    expect(growth).toBeLessThan(0.25);
  });

  test('bare: 5,000 calls that wait take memory for each; limited: for none', async () => {
    await using bare = barePool(url, { max: 1 });
    await using limited = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
    const perCall: number[] = [];
    for (const { pool } of [bare, limited]) {
      const running = pool.query('select pg_sleep(1)');
      await pool.query('select 1').catch(() => {});
      const before = await heapBytes();
      for (let call = 0; call < 5_000; call++) pool.query('select 1').catch(() => {});
      perCall.push(((await heapBytes()) - before) / 5_000);
      await running;
    }
    const [bareBytes, limitedBytes] = perCall;
    note('bytes per call', { bare: bareBytes!, limited: limitedBytes! });
    expect(bareBytes).toBeGreaterThan(500);
    expect(limitedBytes).toBeLessThan(50);
  });

  test('a rejected call holds nothing of its payload, even while its error is kept', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
    const running = limited.pool.query('select pg_sleep(0.5)');
    const values: WeakRef<object>[] = [];
    const errors: Promise<unknown>[] = [];
    const reject = () => {
      const parameters = [payload()];
      values.push(new WeakRef(parameters));
      errors.push(limited.pool.query('select length($1)', parameters).catch((error) => error));
    };
    for (let call = 0; call < 1_000; call++) reject();
    const kept = await Promise.all(errors);
    await freeHeap();
    expect(kept).toHaveLength(1_000);
    expect(limited.limiter.stats().rejected).toBe(1_000);
    expect(values.filter((value) => value.deref() !== undefined)).toHaveLength(0);
    await running;
  });
});
