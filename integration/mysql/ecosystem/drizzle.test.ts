import { sql } from 'drizzle-orm';
import { int, mysqlTable, varchar } from 'drizzle-orm/mysql-core';
import { drizzle } from 'drizzle-orm/mysql2';
import { LimitedMysql } from 'floodgate/mysql2';
import mysql from 'mysql2';
import promises from 'mysql2/promise';
import { describe, expect, onTestFinished, test } from 'vitest';
import { poolConfig, uniqueName } from '../support/client-under-test.js';
import { openOperator } from '../support/operator.js';
import { sharedMysql } from '../support/shared-server.js';
import { atLimitOne } from './at-limit-one.js';

const url = await sharedMysql();
const birds = mysqlTable('birds', {
  id: int().primaryKey().autoincrement(),
  name: varchar({ length: 20 }).notNull(),
});

async function exercise(pool: mysql.Pool | promises.Pool) {
  const db = drizzle(pool as promises.Pool);
  await db.execute(sql`create table birds (id int primary key auto_increment, name varchar(20) not null)`);
  await db.insert(birds).values([{ name: 'auk' }, { name: 'emu' }]);
  const inside = await db.transaction(async (tx) => {
    await tx.insert(birds).values({ name: 'jay' });
    return tx.$count(birds);
  });
  const rolledBack = await db
    .transaction(async (tx) => {
      await tx.delete(birds);
      throw new Error('enough');
    })
    .catch((error: Error) => error.message);
  const streamed = [];
  for await (const row of await db.select().from(birds).prepare().iterator()) streamed.push(row.name);
  return { rows: await db.select().from(birds), inside, rolledBack, streamed };
}

async function ownDatabase() {
  const database = uniqueName();
  await using operator = await openOperator(url);
  await operator.execute(`create database ${database}`);
  return database;
}

describe.each([
  ['the promise pool', promises.createPool],
  ['the callback pool', mysql.createPool],
] as const)('drizzle over %s', (_, create) => {
  test('as with the bare pool', async () => {
    const bare = create(poolConfig(url, await ownDatabase(), {}));
    const limited = new LimitedMysql(
      create,
      { maxConcurrentOps: 50 },
      poolConfig(url, await ownDatabase(), {}),
    );
    onTestFinished(() => {
      bare.end();
      limited.end();
    });
    const result = await exercise(limited);
    expect(result).toEqual(await exercise(bare));
    expect(result).toMatchObject({ inside: 3, rolledBack: 'enough', streamed: ['auk', 'emu', 'jay'] });
    expect(limited.limiter.stats()).toMatchObject({ inFlight: 0, rejected: 0, doubleReleases: 0 });
  });

  test('a rejection comes through', async () => {
    const limited = new LimitedMysql(create, {}, poolConfig(url, undefined, {}));
    onTestFinished(() => void limited.end());
    const db = drizzle(limited as promises.Pool);
    expect(await atLimitOne(limited.limiter, async () => db.execute(sql`select sleep(0.05)`))).toEqual([
      'DrizzleQueryError',
    ]);
  });
});
