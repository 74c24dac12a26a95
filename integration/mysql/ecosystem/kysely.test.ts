import { LimitedMysql } from 'floodgate/mysql2';
import { type Generated, Kysely, MysqlDialect, sql } from 'kysely';
import mysql from 'mysql2';
import { expect, onTestFinished, test } from 'vitest';
import { poolConfig, uniqueName } from '../support/client-under-test.js';
import { openOperator } from '../support/operator.js';
import { sharedMysql } from '../support/shared-server.js';
import { atLimitOne } from './at-limit-one.js';

const url = await sharedMysql();

interface Database {
  birds: { id: Generated<number>; name: string };
}

function kyselyOf(pool: mysql.Pool) {
  const db = new Kysely<Database>({ dialect: new MysqlDialect({ pool }) });
  onTestFinished(() => db.destroy());
  return db;
}

async function exercise(pool: mysql.Pool) {
  const db = kyselyOf(pool);
  await db.schema
    .createTable('birds')
    .addColumn('id', 'integer', (column) => column.autoIncrement().primaryKey())
    .addColumn('name', 'varchar(20)')
    .execute();
  await db
    .insertInto('birds')
    .values([{ name: 'auk' }, { name: 'emu' }])
    .execute();
  const rolledBack = await db
    .transaction()
    .execute(async (trx) => {
      await trx.deleteFrom('birds').execute();
      throw new Error('enough');
    })
    .catch((error: Error) => error.message);
  const streamed = [];
  for await (const { name } of db.selectFrom('birds').select('name').stream()) streamed.push(name);
  for await (const _ of db.selectFrom('birds').select('name').stream()) break;
  return { rows: await db.selectFrom('birds').selectAll().execute(), rolledBack, streamed };
}

test('kysely over a limited pool, as over the bare one', async () => {
  const databases = [uniqueName(), uniqueName()];
  await using operator = await openOperator(url);
  for (const database of databases) await operator.execute(`create database ${database}`);
  const limited = new LimitedMysql(mysql.createPool, {}, poolConfig(url, databases[0], {}));
  const result = await exercise(limited);
  expect(result).toEqual(await exercise(mysql.createPool(poolConfig(url, databases[1], {}))));
  expect(result).toMatchObject({ rolledBack: 'enough', streamed: ['auk', 'emu'] });
  await expect.poll(() => limited.limiter.inFlight).toBe(0);
  expect(limited.limiter.stats()).toMatchObject({ rejected: 0, doubleReleases: 0 });
  expect(Object.keys(limited.limiter.stats().classes)).toEqual(['transaction']);
});

test('a rejection comes through kysely as it is', async () => {
  const limited = new LimitedMysql(mysql.createPool, {}, poolConfig(url, undefined, {}));
  const db = kyselyOf(limited);
  const nap = () => sql`select sleep(0.05)`.execute(db);
  expect(await atLimitOne(limited.limiter, nap)).toEqual(['BackpressureError']);
  const transaction = () => db.transaction().execute((trx) => sql`select sleep(0.05)`.execute(trx));
  expect(await atLimitOne(limited.limiter, transaction)).toEqual(['BackpressureError']);
});
