import { findBackpressureError } from 'floodgate';
import { limitDriver } from 'floodgate/mysql2';
import mysql from 'mysql2';
import { DataTypes, QueryTypes, Sequelize } from 'sequelize';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordUnhandledRejections } from '../../ecosystem/support/unhandled-rejections.js';
import { uniqueName } from '../support/client-under-test.js';
import { openOperator } from '../support/operator.js';
import { placeOf } from '../support/place.js';
import { sharedMysql } from '../support/shared-server.js';
import { atLimitOne } from './at-limit-one.js';

const url = await sharedMysql();

/** Sequelize pools its connections itself; they come from the driver that it is given. */
async function sequelizeOver(dialectModule: object, database = uniqueName(), max = 5): Promise<Sequelize> {
  await using operator = await openOperator(url);
  await operator.execute(`create database ${database}`);
  const { user: username, ...place } = placeOf(url, database);
  const sequelize = new Sequelize({
    ...place,
    username,
    dialect: 'mysql',
    dialectModule,
    pool: { max },
    logging: false,
  });
  onTestFinished(() => sequelize.close());
  return sequelize;
}

async function exercise(sequelize: Sequelize) {
  const attributes = { name: { type: DataTypes.STRING, unique: true } };
  const Bird = sequelize.define('bird', attributes, { timestamps: false });
  await Bird.sync({ force: true });
  await Bird.bulkCreate([{ name: 'auk' }, { name: 'emu' }]);
  const inside = await sequelize.transaction(async (transaction) => {
    await Bird.create({ name: 'jay' }, { transaction });
    return Bird.count({ transaction });
  });
  const rolledBack = await sequelize
    .transaction(async (transaction) => {
      await Bird.destroy({ where: {}, transaction });
      throw new Error('enough');
    })
    .catch((error: Error) => error.message);
  const twice = await Bird.create({ name: 'auk' }).catch((error: Error) => error.name);
  const names = (await Bird.findAll({ order: ['id'] })).map((bird) => bird.get('name'));
  return { names, inside, rolledBack, twice };
}

test('sequelize with `dialectModule: limitDriver(mysql2)`, as with the bare driver', async () => {
  const driver = limitDriver(mysql, { maxConcurrentOps: 50 });
  const result = await exercise(await sequelizeOver(driver));
  expect(result).toEqual(await exercise(await sequelizeOver(mysql)));
  expect(result).toMatchObject({ inside: 3, rolledBack: 'enough', twice: 'SequelizeUniqueConstraintError' });
  await expect.poll(() => driver.limiter.inFlight).toBe(0);
  expect(driver.limiter.stats()).toMatchObject({ rejected: 0, failed: 1, doubleReleases: 0 });
});

test('a rejected query and a rejected transaction come through sequelize, under `original` and `parent`', async () => {
  await using operator = await openOperator(url);
  const driver = limitDriver(mysql, { maxConcurrentOps: 50 });
  const database = uniqueName();
  const sequelize = await sequelizeOver(driver, database);
  const nap = () => sequelize.query('select sleep(0.05)', { type: QueryTypes.SELECT });
  await Promise.all(Array.from({ length: 5 }, nap));
  expect(await atLimitOne(driver.limiter, nap)).toEqual(['DatabaseError']);
  const before = await operator.connectionIds(database);
  const transaction = () =>
    sequelize.transaction((inside) => sequelize.query('select sleep(0.05)', { transaction: inside }));
  expect(await atLimitOne(driver.limiter, transaction)).toEqual(['DatabaseError']);
  // Sequelize gives a connection up on which a ROLLBACK fails.
  expect(await operator.connectionIds(database)).toEqual(before);
  const permit = driver.limiter.acquire();
  const error = await nap().then(
    () => undefined,
    (reason: Error & { original?: Error }) => reason,
  );
  permit.release();
  expect(error?.original).toBe(findBackpressureError(error));
});

/** A burst of calls while sequelize has no connection yet; afterwards it has those that the server has. */
async function coldBurst(dialectModule: object, before: (sequelize: Sequelize) => Promise<unknown>) {
  using unhandled = recordUnhandledRejections();
  await using operator = await openOperator(url);
  const database = uniqueName();
  const sequelize = await sequelizeOver(dialectModule, database);
  await before(sequelize);
  const nap = () => sequelize.query('select sleep(0.05)', { type: QueryTypes.SELECT });
  const results = await Promise.allSettled(Array.from({ length: 20 }, nap));
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const { pool } = sequelize.connectionManager as unknown as { pool: { size: number } };
  await expect.poll(() => operator.connections(database)).toBe(pool.size);
  const connections = pool.size;
  await nap();
  await sequelize.close();
  await expect.poll(() => operator.connections(database)).toBe(0);
  expect(unhandled.errors).toEqual([]);
  return { connections, served: results.length - errors.length, errors };
}

describe('20 calls at once over a cold pool lose no connection', () => {
  test('bare', async () => {
    const burst = await coldBurst(mysql, async () => {});
    expect(burst).toEqual({ connections: 5, served: 20, errors: [] });
  });

  // Sequelize drops a connection, open, when a query of its set-up fails.
  test.each([
    ['that knows the server', (sequelize: Sequelize) => sequelize.authenticate(), 1],
    // The connection that asks for the version takes the one permit, and all wait for it; then those to follow it are
    // refused while the first of them connects, and sequelize tells each call of each refusal.
    ['that knows nothing', async () => {}, 0],
  ])('limited to one, %s', async (_, before, served) => {
    const driver = limitDriver(mysql, { maxConcurrentOps: 1 });
    const burst = await coldBurst(driver, before);
    expect([burst.connections, burst.served]).toEqual([1, served]);
    expect(burst.errors.map((error) => findBackpressureError(error)?.reason)).toEqual(
      new Array(20 - served).fill('limit'),
    );
    expect(new Set(burst.errors.map((error) => error.name))).toEqual(new Set(['SequelizeConnectionError']));
    await expect.poll(() => driver.limiter.inFlight).toBe(0);
    expect(driver.limiter.stats()).toMatchObject({
      peakInFlight: 1,
      failed: 0,
      overloaded: 0,
      doubleReleases: 0,
    });
  });
});

test('of 60 calls at once over a pool of 10, all are served at a limit of 10, and hardly any at one of 5', async () => {
  const served = [];
  for (const maxConcurrentOps of [10, 5]) {
    const sequelize = await sequelizeOver(limitDriver(mysql, { maxConcurrentOps }), uniqueName(), 10);
    const nap = () => sequelize.query('select sleep(0.02)', { type: QueryTypes.SELECT });
    const results = await Promise.allSettled(Array.from({ length: 60 }, nap));
    served.push(results.filter(({ status }) => status === 'fulfilled').length);
  }
  expect(served[0]).toBe(60);
  expect(served[1]).toBeLessThanOrEqual(5);
});
