import { setTimeout as sleepMs } from 'node:timers/promises';
import { findBackpressureError } from 'floodgate';
import { limitClientClass } from 'floodgate/pg';
import pg from 'pg';
import { DataTypes, type Options, QueryTypes, Sequelize } from 'sequelize';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { openOperator } from '../support/faults.js';
import { uniqueName } from '../support/pool-under-test.js';
import { atLimitOne } from './support/at-limit-one.js';
import { countListeners } from './support/count-listeners.js';
import { recordUnhandledRejections } from './support/unhandled-rejections.js';

const { url } = inject('postgres');
type ClientClass = new (config?: string | pg.ClientConfig) => pg.Client;

/** Nothing to send on a new connection but what the first one ever asks for: the types of the database. */
const NO_SETUP: Options & { keepDefaultTimezone: true } = {
  // Documented, and missing from the types.
  keepDefaultTimezone: true,
  dialectOptions: { clientMinMessages: 'ignore' },
};

/** Sequelize with a pool of its own, whose connections are clients of this class. */
function sequelizeOf(Client: ClientClass, options: Options = NO_SETUP) {
  const name = uniqueName();
  const sequelize = new Sequelize(url, {
    dialectModule: { ...pg, Client },
    pool: { max: 5 },
    logging: false,
    ...options,
    dialectOptions: { ...options.dialectOptions, application_name: name },
  });
  onTestFinished(() => sequelize.close());
  return { sequelize, name };
}

afterAll(async () => {
  await using operator = await openOperator(url);
  await operator.column('drop table if exists sequelize_birds');
});

async function exercise(sequelize: Sequelize) {
  const attributes = { name: { type: DataTypes.STRING, unique: true } };
  const Bird = sequelize.define('bird', attributes, { tableName: 'sequelize_birds', timestamps: false });
  await Bird.sync({ force: true });
  await Bird.bulkCreate([{ name: 'auk' }, { name: 'emu' }]);
  const names = (await Bird.findAll({ order: ['id'] })).map((bird) => bird.get('name'));
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
  const left = await Bird.count();
  const { connectionManager } = sequelize as unknown as { connectionManager: ConnectionManager };
  const connection = await connectionManager.getConnection();
  const listeners = countListeners(connection);
  connectionManager.releaseConnection(connection);
  return { names, inside, rolledBack, twice, left, listeners };
}

interface ConnectionManager {
  getConnection(): Promise<pg.Client>;
  releaseConnection(connection: pg.Client): void;
}

const sleep = (sequelize: Sequelize) => sequelize.query('select pg_sleep(0.1)', { type: QueryTypes.SELECT });

describe('sequelize with `dialectModule: { ...pg, Client: limitClientClass(pg.Client) }`', () => {
  test.each([
    { what: 'as it comes', options: {} },
    { what: 'without set-up queries', options: NO_SETUP },
  ])('models and transactions as with the bare class ($what)', async ({ options }) => {
    using unhandled = recordUnhandledRejections();
    const Client = limitClientClass(pg.Client, { maxConcurrentOps: 100 });
    const result = await exercise(sequelizeOf(Client, options).sequelize);
    expect(result).toEqual(await exercise(sequelizeOf(pg.Client, options).sequelize));
    expect(result).toMatchObject({
      names: ['auk', 'emu'],
      inside: 3,
      rolledBack: 'enough',
      twice: 'SequelizeUniqueConstraintError',
      left: 3,
    });
    expect(Client.limiter.stats()).toMatchObject({ rejected: 0, failed: 1, inFlight: 0, doubleReleases: 0 });
    expect(unhandled.errors).toEqual([]);
  });

  test('a rejected query comes through, under `original` and `parent`', async () => {
    const Client = limitClientClass(pg.Client, { maxConcurrentOps: 5 });
    const { sequelize } = sequelizeOf(Client);
    await Promise.all(Array.from({ length: 5 }, () => sleep(sequelize)));
    Client.limiter.resize(1);
    expect(await atLimitOne(Client.limiter, () => sleep(sequelize))).toEqual(['DatabaseError']);

    const results = await Promise.allSettled([sleep(sequelize), sleep(sequelize)]);
    const { reason } = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(findBackpressureError(reason)).toMatchObject({ reason: 'limit' });
    expect(reason.original).toBe(findBackpressureError(reason));
    expect(reason.parent).toBe(reason.original);
  });

  test('a rejected transaction comes through, and costs no connection', async () => {
    await using operator = await openOperator(url);
    const Client = limitClientClass(pg.Client, { maxConcurrentOps: 5 });
    const { sequelize, name } = sequelizeOf(Client);
    await Promise.all(Array.from({ length: 5 }, () => sleep(sequelize)));
    const connections = () =>
      operator.column('select pid from pg_stat_activity where application_name = $1 order by pid', [name]);
    // Sequelize opens one more to ask for the server's version, and closes it.
    await expect.poll(connections).toHaveLength(5);
    const before = await connections();
    Client.limiter.resize(1);
    const transaction = () =>
      sequelize.transaction((t) => sequelize.query('select pg_sleep(0.1)', { transaction: t }));
    expect(await atLimitOne(Client.limiter, transaction)).toEqual(['DatabaseError']);
    expect(await connections()).toEqual(before);
  });

  test('once its first connection is set up, and without set-up queries, no connection is lost to a rejection', async () => {
    const { connections, pooled } = await burstAtLimitOne(NO_SETUP);
    expect(pooled).toBeLessThanOrEqual(5);
    expect(connections).toBe(pooled);
  });

  // Sequelize drops a connection, open, when a query of its set-up fails.
  test('with set-up queries, no connection is lost to a rejection', async () => {
    const { connections, pooled } = await burstAtLimitOne({});
    expect(connections).toBe(pooled);
  });
});

/** 20 calls at once at limit 1: connections at the server afterwards, and those that sequelize's pool knows of. */
async function burstAtLimitOne(options: Options) {
  await using operator = await openOperator(url);
  const Client = limitClientClass(pg.Client, { maxConcurrentOps: 1 });
  const { sequelize, name } = sequelizeOf(Client, options);
  await sequelize.authenticate();
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => sleep(sequelize)));
  expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(10);
  const count = 'select count(*)::int from pg_stat_activity where application_name = $1';
  const { pool } = sequelize.connectionManager as unknown as { pool: { size: number } };
  // Time for sequelize to take in the last connection that it opened.
  await sleepMs(100);
  const [connections] = await operator.column<number>(count, [name]);
  const pooled = pool.size;
  // Those that were lost are nobody's now: not even `close()` knows of them.
  await operator.terminate(name);
  return { connections, pooled };
}
