import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { limitedPool } from '../support/pool-under-test.js';
import { atLimitOne } from './support/at-limit-one.js';
import { onBoth } from './support/on-both.js';

const { url } = inject('postgres');
const birds = pgTable('drizzle_birds', { id: integer().primaryKey(), name: text() });
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.column('create table drizzle_birds (id int primary key, name text)');
});
afterAll(async () => {
  await operator.column('drop table drizzle_birds');
  await operator[Symbol.asyncDispose]();
});

describe('drizzle over a limited pool', () => {
  test('inserts, selects, updates and deletes as over a bare one', async () => {
    const result = await onBoth(async (pool) => {
      const db = drizzle({ client: pool });
      await db.insert(birds).values([
        { id: 1, name: 'auk' },
        { id: 2, name: 'emu' },
      ]);
      await db.update(birds).set({ name: 'jay' }).where(eq(birds.id, 1));
      const rows = await db.select().from(birds).orderBy(birds.id);
      const { rowCount } = await db.delete(birds);
      return { rows, rowCount };
    });
    const rows = [
      { id: 1, name: 'jay' },
      { id: 2, name: 'emu' },
    ];
    expect(result).toEqual({ rows, rowCount: 2 });
  });

  test('keeps a transaction on one connection, and rolls back what fails', async () => {
    const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`;
    const result = await onBoth(async (pool) => {
      const db = drizzle({ client: pool });
      const pids = await db.transaction(async (tx) => [
        (await tx.execute(pid)).rows[0]!.pid,
        (await tx.transaction((inner) => inner.execute(pid))).rows[0]!.pid,
        (await tx.execute(pid)).rows[0]!.pid,
      ]);
      const rolledBack = await db
        .transaction(async (tx) => {
          await tx.insert(birds).values({ id: 3 });
          throw new Error('enough');
        })
        .catch((error: Error) => error.message);
      return { connections: new Set(pids).size, rolledBack, left: await db.$count(birds) };
    });
    expect(result).toEqual({ connections: 1, rolledBack: 'enough', left: 0 });
  });

  test('a rejection comes through, of a query and of a transaction', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 });
    const db = drizzle({ client: limited.pool });
    const sleep = sql`select pg_sleep(0.1)`;
    expect(await atLimitOne(limited.limiter, () => db.execute(sleep))).toEqual(['DrizzleQueryError']);
    expect(await atLimitOne(limited.limiter, () => db.transaction((tx) => tx.execute(sleep)))).toEqual([
      'BackpressureError',
    ]);
  });
});
