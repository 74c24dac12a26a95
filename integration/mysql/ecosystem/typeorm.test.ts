import { LimitedMysql, limitDriver } from 'floodgate/mysql2';
import mysql from 'mysql2';
import { DataSource, EntitySchema } from 'typeorm';
import { expect, onTestFinished, test } from 'vitest';
import { uniqueName } from '../support/client-under-test.js';
import { openOperator } from '../support/operator.js';
import { placeOf } from '../support/place.js';
import { sharedMysql } from '../support/shared-server.js';
import { atLimitOne } from './at-limit-one.js';

const url = await sharedMysql();

interface Bird {
  id: number;
  name: string;
}

const Birds = new EntitySchema<Bird>({
  name: 'bird',
  columns: {
    id: { type: Number, primary: true, generated: true },
    name: { type: String, length: 20, unique: true },
  },
});

/** TypeORM makes its pool itself, with the driver that it is given; with `replication`, a cluster of pools. */
async function dataSourceOver(driver: object, replicated: boolean): Promise<DataSource> {
  const database = uniqueName();
  await using operator = await openOperator(url);
  await operator.execute(`create database ${database}`);
  const { user: username, ...rest } = placeOf(url, database);
  const place = { ...rest, username };
  const source = new DataSource({
    type: 'mysql',
    driver,
    entities: [Birds],
    synchronize: true,
    ...(replicated ? { replication: { master: place, slaves: [place] } } : place),
  });
  await source.initialize();
  onTestFinished(() => source.destroy());
  return source;
}

async function exercise(source: DataSource) {
  const birds = source.getRepository(Birds);
  await birds.save([{ name: 'auk' }, { name: 'emu' }]);
  const inside = await source.transaction(async (manager) => {
    await manager.save(Birds, { name: 'jay' });
    return manager.count(Birds);
  });
  const rolledBack = await source
    .transaction(async (manager) => {
      await manager.delete(Birds, { name: 'auk' });
      throw new Error('enough');
    })
    .catch((error: Error) => error.message);
  const twice = await birds.insert({ name: 'emu' }).catch((error: Error) => error.constructor.name);
  const streamed = [];
  for await (const row of await birds.createQueryBuilder('b').select('b.name', 'name').stream()) {
    streamed.push((row as unknown as Bird).name);
  }
  return { inside, rolledBack, twice, streamed, left: await birds.count() };
}

test.each([
  ['a pool', false],
  ['a cluster', true],
])('typeorm with `driver: limitDriver(mysql2)` and %s, as with the bare driver', async (_, replicated) => {
  const driver = limitDriver(mysql, { maxConcurrentOps: 50 });
  const source = await dataSourceOver(driver, replicated);
  const result = await exercise(source);
  expect(result).toEqual(await exercise(await dataSourceOver(mysql, replicated)));
  expect(result).toMatchObject({ inside: 3, rolledBack: 'enough', twice: 'QueryFailedError' });
  await expect.poll(() => driver.limiter.inFlight).toBe(0);
  expect(driver.limiter.stats()).toMatchObject({ rejected: 0, doubleReleases: 0 });
  expect(Object.keys(driver.limiter.stats().classes)).toEqual(['transaction']);
  expect(driver.limiter.stats().admitted).toBeGreaterThan(5);

  const nap = () => source.query('select sleep(0.05)');
  const names = await atLimitOne(driver.limiter, nap);
  expect(names).toEqual(['BackpressureError']);
  const { driver: own } = source as unknown as { driver: { pool?: object; poolCluster?: object } };
  expect(own.pool ?? own.poolCluster).toBeInstanceOf(LimitedMysql);
});
