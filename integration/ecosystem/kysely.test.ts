import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import Cursor from 'pg-cursor';
import { describe, expect, inject, test } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';
import { atLimitOne } from './support/at-limit-one.js';
import { onBoth } from './support/on-both.js';

const { url } = inject('postgres');

function kysely(pool: pg.Pool, onCreateConnection?: () => Promise<void>) {
  const options = onCreateConnection === undefined ? {} : { onCreateConnection };
  return new Kysely<object>({ dialect: new PostgresDialect({ pool, cursor: Cursor, ...options }) });
}

const series = sql<number>`generate_series(1, 250)`.as('n');

describe('kysely over a limited pool', () => {
  test('queries, and meets each connection once', async () => {
    const result = await onBoth(
      async (pool) => {
        let created = 0;
        const db = kysely(pool, async () => {
          created++;
        });
        const answers = [];
        for (const n of [1, 2, 3]) answers.push((await sql`select ${n}::int as n`.execute(db)).rows[0]);
        return { answers, created };
      },
      { max: 1 },
    );
    expect(result).toEqual({ answers: [{ n: 1 }, { n: 2 }, { n: 3 }], created: 1 });
  });

  test('keeps a transaction on one connection, and rolls back what fails', async () => {
    const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`;
    const result = await onBoth(async (pool) => {
      const db = kysely(pool);
      const pids = await db
        .transaction()
        .execute(async (tx) => [(await pid.execute(tx)).rows[0]!.pid, (await pid.execute(tx)).rows[0]!.pid]);
      const failed = await db
        .transaction()
        .execute((tx) => sql`select 1 / 0`.execute(tx))
        .catch((error: pg.DatabaseError) => error.code);
      return { connections: new Set(pids).size, failed };
    });
    expect(result).toEqual({ connections: 1, failed: '22012' });
  });

  test('streams with a cursor: to the end, and left early', async () => {
    const result = await onBoth(async (pool) => {
      const db = kysely(pool);
      const rows = () => db.selectNoFrom(series).stream(100);
      let all = 0;
      for await (const { n } of rows()) all += n;
      const first: number[] = [];
      for await (const { n } of rows()) {
        first.push(n);
        if (first.length === 3) break;
      }
      return { all, first, busy: pool.totalCount - pool.idleCount };
    });
    expect(result).toEqual({ all: (250 * 251) / 2, first: [1, 2, 3], busy: 0 });
  });

  test('a rejection comes through, of a query, a transaction and a stream', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 });
    const { pool, limiter } = limited;
    const db = kysely(pool);
    const sleep = sql`select pg_sleep(0.1)`;
    expect(await atLimitOne(limiter, () => sleep.execute(db))).toEqual(['BackpressureError']);
    const transaction = () => db.transaction().execute((tx) => sleep.execute(tx));
    expect(await atLimitOne(limiter, transaction)).toEqual(['BackpressureError']);
    const stream = async () => {
      const rows = db.selectNoFrom(sql`pg_sleep(0.1)`.as('slept')).stream();
      for await (const _ of rows);
    };
    expect(await atLimitOne(limiter, stream)).toEqual(['BackpressureError']);
  });
});
