import { setTimeout as sleep } from 'node:timers/promises';
import { isBackpressureError } from 'floodgate';
import { nested } from 'floodgate/pg';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { openLoop } from '../support/open-loop.js';
import { barePool, limitedPool } from '../support/pool-under-test.js';

const CONNECTIONS = 5;
const { url } = inject('postgres');

/** As an ORM's user does who forgets to hand the transaction on: one more connection from within. */
async function transaction(pool: pg.Pool, inner: () => Promise<unknown>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await inner();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function outcomes(pool: pg.Pool, inner: () => Promise<unknown>) {
  const transactions = Array.from({ length: CONNECTIONS }, () => transaction(pool, inner));
  const results = await Promise.allSettled(transactions);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  return {
    done: CONNECTIONS - reasons.length,
    rejected: reasons.filter(isBackpressureError).length,
    others: reasons.filter((reason) => !isBackpressureError(reason)).map(String),
  };
}

describe('5 transactions that each need a second connection, pool of 5 (knex#1040, typeorm#4738, sequelize#10976)', () => {
  test('bare: none gets on', async () => {
    await using bare = barePool(url, { max: CONNECTIONS });
    const { pool } = bare;
    const all = outcomes(pool, () => pool.query('select 1'));
    // As long as it takes ten times over for all of them to be done, one after the other.
    expect(await Promise.race([all, sleep(500, 'hang')])).toBe('hang');
    expect(pool).toMatchObject({ totalCount: CONNECTIONS, idleCount: 0, waitingCount: CONNECTIONS });
  });

  test('limited to 4, inner work marked as nested: 4 are done, 1 is rejected before it begins', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: CONNECTIONS - 1 }, { max: CONNECTIONS });
    const { pool, limiter } = limited;
    const result = await outcomes(pool, () => nested(pool, () => pool.query('select 1')));
    expect(result).toEqual({ done: 4, rejected: 1, others: [] });
    expect(limiter.inFlight).toBe(0);
    expect(limiter.stats().classes.nested).toMatchObject({ admitted: 4, rejected: 0, inFlight: 0 });
  });

  test('transactions capped at 4 by a bulkhead, inner work as it is: 4 are done, 1 is rejected before it begins', async () => {
    const options = { maxConcurrentOps: 2 * CONNECTIONS, bulkheads: { transaction: CONNECTIONS - 1 } };
    await using limited = limitedPool(url, options, { max: CONNECTIONS });
    const { pool, limiter } = limited;
    const result = await outcomes(pool, () => pool.query('select 1'));
    expect(result).toEqual({ done: 4, rejected: 1, others: [] });
    expect(limiter.stats().rejectedByReason).toEqual({ bulkhead: 1 });
    expect(limiter.inFlight).toBe(0);
  });

  test('an inner transaction, nested: none hangs either', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: CONNECTIONS - 1 }, { max: CONNECTIONS });
    const { pool } = limited;
    const inner = () => nested(pool, () => transaction(pool, async () => {}));
    expect(await outcomes(pool, inner)).toEqual({ done: 4, rejected: 1, others: [] });
  });

  test('open loop, 100 such transactions a second for a second: all but the rejected are done', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: CONNECTIONS - 1 }, { max: CONNECTIONS });
    const { pool, limiter } = limited;
    const inner = () => nested(pool, () => pool.query('select pg_sleep(0.02)'));
    const arrivals = await openLoop({ ratePerSecond: 100, durationMs: 1_000 }, () => transaction(pool, inner))
      .answered;
    const { succeeded, rejected } = limiter.stats().classes.transaction!;
    expect(arrivals.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(succeeded + rejected).toBe(100);
    expect(succeeded).toBeGreaterThan(20);
    expect(limiter.inFlight).toBe(0);
  });
});
