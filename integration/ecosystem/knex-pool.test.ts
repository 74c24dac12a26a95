import type { LimitedPool } from 'floodgate/pg';
import knexFor, { type Knex } from 'knex';
import type pg from 'pg';
import { describe, expect, inject, test, vi } from 'vitest';
import { barePool, limitedPool, type PoolUnderTest } from '../support/pool-under-test.js';
import { atLimitOne } from './support/at-limit-one.js';
import { onBoth } from './support/on-both.js';

const { url } = inject('postgres');

function over(pool: pg.Pool | LimitedPool): Knex {
  // knex writes a warning for each checkout that fails.
  return knexFor({ client: 'pg', connectionPool: pool, log: { warn: () => {} } });
}

const pidOf = async (db: Knex) => (await db.raw('select pg_backend_pid() as pid')).rows[0].pid as number;
const series = (knex: Knex) => knex.select(knex.raw('generate_series(1, 500) as n'));

describe('knex with `connectionPool: limitedPool`', () => {
  test('queries, keeps a transaction on one connection and rolls back what fails', async () => {
    const result = await onBoth(async (pool) => {
      const knex = over(pool);
      const rows = await knex.select(knex.raw('?::int as n', [7]));
      const pids = await knex.transaction(async (trx) => [
        await pidOf(trx),
        await trx.transaction((inner) => pidOf(inner)),
        await pidOf(trx),
      ]);
      const failed = await knex
        .transaction((trx) => trx.raw('select 1 / 0'))
        .catch((error: pg.DatabaseError) => error.code);
      await knex.destroy();
      return { rows, connections: new Set(pids).size, failed };
    });
    expect(result).toEqual({ rows: [{ n: 7 }], connections: 1, failed: '22012' });
  });

  test('streams, and leaves a stream early', async () => {
    const result = await onBoth(async (pool) => {
      const knex = over(pool);
      let first = 0;
      for await (const _ of series(knex).stream()) if (++first === 3) break;
      await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
      await knex.destroy();
      return { first };
    });
    expect(result).toEqual({ first: 3 });
  });

  test('a stream read to its end is released twice by knex 3.3: the mistake is complained of as by the bare pool, and counted', async () => {
    const already = 'Release called on client which has already been released to the pool.';
    const readAll = async ({ pool }: PoolUnderTest) => {
      const complaints: unknown[] = [];
      const complain = (error: Error) => complaints.push(error.message);
      process.on('uncaughtException', complain);
      let all = 0;
      for await (const { n } of series(over(pool)).stream()) all += n;
      await vi.waitFor(() => expect(complaints).not.toEqual([]));
      process.removeListener('uncaughtException', complain);
      return { all, complaints };
    };
    await using bare = barePool(url);
    await using limited = limitedPool(url, { maxConcurrentOps: 1 });
    expect(await readAll(bare)).toEqual({ all: (500 * 501) / 2, complaints: [already] });
    expect(await readAll(limited)).toEqual({ all: (500 * 501) / 2, complaints: [already] });
    expect(limited.limiter.stats()).toMatchObject({ inFlight: 0, doubleReleases: 1 });
  });

  test('a rejection comes through, of a query, a transaction and a stream', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 });
    const { pool, limiter } = limited;
    const knex = over(pool);
    const sleep = 'select pg_sleep(0.1)';
    expect(await atLimitOne(limiter, async () => knex.raw(sleep))).toEqual(['BackpressureError']);
    const transaction = () => knex.transaction((trx) => trx.raw(sleep));
    expect(await atLimitOne(limiter, transaction)).toEqual(['BackpressureError']);
    const stream = async () => {
      const rows = knex.select(knex.raw('generate_series(1, 150)'), knex.raw('pg_sleep(0.001)')).stream();
      let first = 0;
      for await (const _ of rows) if (++first === 3) break;
    };
    expect(await atLimitOne(limiter, stream)).toEqual(['BackpressureError']);
    await knex.destroy();
  });
});
