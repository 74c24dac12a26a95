import { findBackpressureError } from 'floodgate';
import { limitDriver } from 'floodgate/mysql2';
import mysql from 'mysql2';
import { DataTypes, QueryTypes, Sequelize } from 'sequelize';
import { expect, onTestFinished, test } from 'vitest';
import { uniqueName } from '../support/client-under-test.js';
import { openOperator } from '../support/operator.js';
import { sharedMysql } from '../support/shared-server.js';
import { atLimitOne } from './at-limit-one.js';

const url = await sharedMysql();

/** Sequelize pools its connections itself; they come from the driver that it is given. */
async function sequelizeOver(dialectModule: object): Promise<Sequelize> {
  const database = uniqueName();
  await using operator = await openOperator(url);
  await operator.execute(`create database ${database}`);
  const uri = new URL(url);
  const sequelize = new Sequelize({
    dialect: 'mysql',
    host: uri.hostname,
    port: Number(uri.port),
    username: uri.username,
    password: uri.password,
    database,
    dialectModule,
    pool: { max: 5 },
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
  const driver = limitDriver(mysql, { maxConcurrentOps: 50 });
  const sequelize = await sequelizeOver(driver);
  const nap = () => sequelize.query('select sleep(0.05)', { type: QueryTypes.SELECT });
  await Promise.all(Array.from({ length: 5 }, nap));
  expect(await atLimitOne(driver.limiter, nap)).toEqual(['DatabaseError']);
  const transaction = () =>
    sequelize.transaction((inside) => sequelize.query('select sleep(0.05)', { transaction: inside }));
  expect(await atLimitOne(driver.limiter, transaction)).toEqual(['DatabaseError']);
  const permit = driver.limiter.acquire();
  const error = await nap().then(
    () => undefined,
    (reason: Error & { original?: Error }) => reason,
  );
  permit.release();
  expect(error?.original).toBe(findBackpressureError(error));
});
