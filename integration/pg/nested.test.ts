import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackpressureError, Limiter } from 'floodgate';
import { type LimitedPool, type LimitedPoolOptions, nested } from 'floodgate/pg';
import { describe, expect, inject, test } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';

/*
 * Five transactions on a pool of five, each with a query on the pool itself before it commits: bare, they wait for each
 * other for ever.
 */

const { url } = inject('postgres');
const CONFIG = { max: 5 };

type OnPool = (query: () => Promise<unknown>, pool: LimitedPool) => Promise<unknown>;

async function transaction(pool: LimitedPool, onPool: OnPool, allBegun: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await allBegun();
    await onPool(() => pool.query('select 1'), pool);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** How five transactions end that have all begun, or been rejected, before the first goes on. */
async function five(pool: LimitedPool, onPool: OnPool): Promise<string[]> {
  let arrived = 0;
  const meeting = new EventTarget();
  const arrive = () => {
    arrived++;
    if (arrived === 5) meeting.dispatchEvent(new Event('complete'));
  };
  const complete = once(meeting, 'complete');
  const ends = [1, 2, 3, 4, 5].map(async () => {
    let begun = false;
    try {
      await transaction(pool, onPool, async () => {
        begun = true;
        arrive();
        await complete;
      });
      return 'done';
    } catch (error) {
      if (!begun) arrive();
      return error instanceof BackpressureError ? `rejected: ${error.reason}` : String(error);
    }
  });
  return Promise.race([Promise.all(ends), sleep(5_000, ['some hang'])]);
}

const directly: OnPool = (query) => query();
const inNested: OnPool = (query, pool) => nested(pool, query);

const FOUR_OF_FIVE = ['done', 'done', 'done', 'done'];

describe('five transactions, each with a query on the pool', () => {
  test.each<[name: string, options: LimitedPoolOptions, onPool: OnPool, ends: string[]]>([
    ['limit 4 and nested()', { maxConcurrentOps: 4 }, inNested, [...FOUR_OF_FIVE, 'rejected: limit']],
    [
      'a bulkhead of 4 for transactions',
      { bulkheads: { transaction: 4 } },
      directly,
      [...FOUR_OF_FIVE, 'rejected: bulkhead'],
    ],
    [
      'a bulkhead of 4 for transactions and nested()',
      { bulkheads: { transaction: 4 } },
      inNested,
      [...FOUR_OF_FIVE, 'rejected: bulkhead'],
    ],
    ['limit 4 alone', { maxConcurrentOps: 4 }, directly, Array(5).fill('rejected: limit')],
  ])('end with %s as they should', async (_, options, onPool, ends) => {
    await using under = limitedPool(url, options, CONFIG);
    expect((await five(under.pool, onPool)).sort()).toEqual(ends);
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, running: 0 });
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
  });
});

describe('nested()', () => {
  test('takes no permit, is counted as nested, and is never rejected', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 }, CONFIG);
    const client = await under.pool.connect();
    const during = await nested(under.pool, async () => {
      const inner = await under.pool.connect();
      const stats = under.limiter.stats();
      inner.release();
      await under.pool.query('select 1');
      return stats;
    });
    expect(during).toMatchObject({ inFlight: 1, running: 2, state: 'saturated' });
    await expect(under.pool.query('select 1')).rejects.toMatchObject({ reason: 'limit' });
    client.release();
    const { classes, rejected, inFlight, running } = under.limiter.stats();
    expect(classes.nested).toMatchObject({ admitted: 2, succeeded: 2, rejected: 0, inFlight: 0 });
    expect([rejected, inFlight, running]).toEqual([1, 0, 0]);
  });

  test('goes on while the limiter drains, and draining waits for it', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 }, CONFIG);
    const client = await under.pool.connect();
    const drained = under.limiter.drain();
    const late = nested(under.pool, () => under.pool.query('select pg_sleep(0.1)'));
    client.release();
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, running: 1, state: 'draining' });
    expect((await late).rowCount).toBe(1);
    await drained;
    expect(under.limiter.stats()).toMatchObject({ running: 0, state: 'drained' });
  });

  test('returns what its function returns, and ends with it', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 }, CONFIG);
    expect(nested(under.pool, () => 42)).toBe(42);
    const client = await under.pool.connect();
    await expect(under.pool.query('select 1')).rejects.toBeInstanceOf(BackpressureError);
    client.release();
  });

  test('holds for its own pool and for its own time only', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 }, CONFIG);
    await using other = limitedPool(url, { maxConcurrentOps: 1 }, CONFIG);
    const clients = [await under.pool.connect(), await other.pool.connect()];
    const rejected = { reason: 'limit' };
    let late: Promise<unknown> | undefined;
    await nested(under.pool, async () => {
      await expect(other.pool.query('select 1')).rejects.toMatchObject(rejected);
      // Both, each inside the other's.
      await nested(other.pool, () =>
        Promise.all([under.pool.query('select 1'), other.pool.query('select 1')]),
      );
      late = sleep(20).then(() => under.pool.query('select 1'));
    });
    await expect(late).rejects.toMatchObject(rejected);
    for (const client of clients) client.release();
  });

  test('says what it wants', () => {
    expect(() => nested({} as never, () => 1)).toThrow(
      'floodgate: the pool of nested() must be a limited pool, got an object (Object)',
    );
    expect(() => nested({ limiter: new Limiter() }, 1 as never)).toThrow(
      'floodgate: the work of nested() must be a function, got 1 (number)',
    );
  });
});
