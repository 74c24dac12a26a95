import type { Limiter } from 'floodgate';
import { LimitedMysql, limitDriver } from 'floodgate/mysql2';
import knexFor, { type Knex } from 'knex';
import mysql from 'mysql2';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordUnhandledRejections } from '../../ecosystem/support/unhandled-rejections.js';
import { poolConfig, uniqueName } from '../support/client-under-test.js';
import { openOperator } from '../support/operator.js';
import { placeOf } from '../support/place.js';
import { sharedMysql } from '../support/shared-server.js';
import { atLimitOne } from './at-limit-one.js';
import { knexDialect } from './knex-dialect.js';

const url = await sharedMysql();

/** knex with a pool of its own, over this driver. */
function knexOver(driver: object, connection: mysql.PoolOptions, warnings: string[] = []): Knex {
  return opened({
    client: knexDialect(driver),
    connection: { ...placeOf(connection.uri!) },
    pool: { min: 0, max: 5 },
    log: { warn: (message) => warnings.push(message) },
  });
}

function opened(config: Knex.Config): Knex {
  const knex = knexFor(config);
  onTestFinished(() => knex.destroy());
  return knex;
}

async function exercise(knex: Knex) {
  await knex.schema.createTable('birds', (table) => {
    table.increments('id');
    table.string('name', 20);
  });
  await knex('birds').insert([{ name: 'auk' }, { name: 'emu' }]);
  const inside = await knex.transaction(async (trx) => {
    await trx('birds').insert({ name: 'jay' });
    await trx.transaction((inner) => inner('birds').count());
    return trx('birds').count({ n: '*' });
  });
  const failed = await knex
    .transaction((trx) => trx.raw('select n from nothing'))
    .catch((error: { errno: number }) => error.errno);
  const streamed = [];
  for await (const { name } of knex('birds').select('name').stream()) streamed.push(name);
  return { rows: await knex('birds').select(), inside, failed, streamed };
}

async function databases() {
  const names = [uniqueName(), uniqueName()] as const;
  await using operator = await openOperator(url);
  for (const name of names) await operator.execute(`create database ${name}`);
  return names.map((name) => poolConfig(url, name, {}));
}

describe('knex with `connectionPool`, a limited pool of mysql2', () => {
  test('as with the bare pool', async () => {
    const [a, b] = await databases();
    const limited = new LimitedMysql(mysql.createPool, {}, a!);
    const bare = mysql.createPool(b!);
    onTestFinished(() => {
      limited.end();
      bare.end();
    });
    const over = (connectionPool: mysql.Pool) => opened({ client: 'mysql2', connectionPool } as Knex.Config);
    const result = await exercise(over(limited));
    expect(result).toEqual(await exercise(over(bare)));
    expect(result).toMatchObject({ failed: 1146, streamed: ['auk', 'emu', 'jay'] });
    await expect.poll(() => limited.limiter.inFlight).toBe(0);
    expect(Object.keys(limited.limiter.stats().classes)).toEqual(['transaction']);
    const nap = async () => over(limited).raw('select sleep(0.05)');
    expect(await atLimitOne(limited.limiter, nap)).toEqual(['BackpressureError']);
  });
});

describe("knex with a pool of its own, and `limitDriver(mysql2)` as its dialect's driver", () => {
  test('as with the bare driver', async () => {
    const [a, b] = await databases();
    const driver = limitDriver(mysql, { maxConcurrentOps: 50 });
    const result = await exercise(knexOver(driver, a!));
    expect(result).toEqual(await exercise(knexOver(mysql, b!)));
    await expect.poll(() => driver.limiter.inFlight).toBe(0);
    expect(driver.limiter.stats()).toMatchObject({ rejected: 0, doubleReleases: 0 });
    expect(driver.limiter.stats().admitted).toBeGreaterThan(2);
  });

  test('a rejection comes through, of a query and of a transaction', async () => {
    const driver = limitDriver(mysql, { maxConcurrentOps: 50 });
    const knex = knexOver(driver, poolConfig(url, undefined, {}));
    const nap = async () => knex.raw('select sleep(0.05)');
    await Promise.all(Array.from({ length: 5 }, nap));
    expect(await atLimitOne(driver.limiter, nap)).toEqual(['BackpressureError']);
    const transaction = () => knex.transaction((trx) => trx.raw('select sleep(0.05)'));
    expect(await atLimitOne(driver.limiter, transaction)).toEqual(['BackpressureError']);
  });

  // knex asks the first connection for the server's version, and does without if the answer is an error.
  test.each([
    ['the bare driver', () => mysql, 20],
    ['limited to one', () => limitDriver(mysql, { maxConcurrentOps: 1 }), undefined],
  ])('20 calls at once over a cold pool lose no connection (%s)', async (_, makeDriver, servedByBare) => {
    using unhandled = recordUnhandledRejections();
    await using operator = await openOperator(url);
    const database = uniqueName();
    await operator.execute(`create database ${database}`);
    const driver = makeDriver();
    const warnings: string[] = [];
    const knex = knexOver(driver, poolConfig(url, database, {}), warnings);
    const nap = async () => knex.raw('select sleep(0.05)');
    const results = await Promise.allSettled(Array.from({ length: 20 }, nap));
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    const served = results.length - errors.length;
    if (servedByBare === undefined) expect(served).toBeGreaterThan(0);
    else expect(served).toBe(servedByBare);
    for (const error of errors) expect(error).toMatchObject({ name: 'BackpressureError', reason: 'limit' });
    const { pool } = knex.client as { pool: { numFree(): number; numUsed(): number } };
    await expect.poll(() => operator.connections(database)).toBe(pool.numFree() + pool.numUsed());
    await nap();
    await knex.destroy();
    await expect.poll(() => operator.connections(database)).toBe(0);
    expect(warnings.filter((warning) => warning.includes('version'))).toEqual([]);
    expect(unhandled.errors).toEqual([]);
    const { limiter } = driver as { limiter?: Limiter };
    if (limiter === undefined) return;
    await expect.poll(() => limiter.inFlight).toBe(0);
    expect(limiter.stats()).toMatchObject({ peakInFlight: 1, failed: 0, overloaded: 0 });
  });
});
