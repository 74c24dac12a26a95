import { Limiter } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import { LimitedMysql, limitDriver } from 'floodgate/mysql2';
import { instrument } from 'floodgate/opentelemetry';
import { LimitedPool, limitClientClass } from 'floodgate/pg';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { limitedClient } from '../aerospike/client-under-test.js';
import { type CollectedMetrics, collectMetrics } from '../support/collect-metrics.js';
import { startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { startMysql } from '../support/servers/mysql/start-mysql.js';
import { startRedis } from '../support/servers/redis/start-redis.js';

/* Each client on a real server: its durations carry the name that OpenTelemetry has for its database. */

const { url } = inject('postgres');
const servers: AsyncDisposable[] = [];
let mysqlUrl: string;
let redisUrl: string;
let aerospikeHosts: string;
beforeAll(async () => {
  const [mysqlServer, redis, aerospike] = await Promise.all([startMysql(), startRedis(), startAerospike()]);
  servers.push(mysqlServer, redis, aerospike);
  mysqlUrl = mysqlServer.url;
  redisUrl = redis.url;
  aerospikeHosts = aerospike.hosts;
});
afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
});

/** `system operation error limiter: count` of every series of durations. */
async function durations(sdk: CollectedMetrics): Promise<string[]> {
  const series = await sdk.series('db.client.operation.duration');
  const names = ['db.system.name', 'db.operation.name', 'error.type', 'floodgate.limiter'];
  const lines = series.map(([attributes, value]) => {
    const words = names.map((name) => attributes[name] ?? '-');
    return `${words.join(' ')}: ${(value as { count: number }).count}`;
  });
  return lines.sort();
}

test('pg', async () => {
  await using sdk = collectMetrics();
  const pool = new LimitedPool(pg.Pool, {}, { connectionString: url });
  instrument(pool, { meter: sdk.meter });
  await pool.query('select 1');
  await pool.query('select nothing').catch(() => {});
  const client = await pool.connect();
  await client.query('select 1');
  client.release();
  await pool.end();
  expect(await durations(sdk)).toEqual([
    'postgresql query - pg: 1',
    'postgresql query failed pg: 1',
    'postgresql transaction - pg: 1',
  ]);
});

test('a class of pg clients', async () => {
  await using sdk = collectMetrics();
  const Client = limitClientClass(pg.Client, { name: 'orm' });
  instrument(Client, { meter: sdk.meter });
  const client = new Client(url);
  await client.connect();
  await client.query('select 1');
  await client.end();
  // It rides on the permit of the connecting.
  expect(await durations(sdk)).toEqual(['postgresql query - orm: 1']);
});

test('mysql2, as a pool and as a driver', async () => {
  await using sdk = collectMetrics();
  const pool = new LimitedMysql(mysql.createPool, {}, { uri: mysqlUrl });
  const driver = limitDriver(mysql, { name: 'orm' });
  instrument(pool, { meter: sdk.meter });
  instrument(driver, { meter: sdk.meter });
  await pool.query('select 1');
  await pool.query('select nothing').catch(() => {});
  await pool.end();
  const own = driver.createPool(mysqlUrl);
  await own.query('select 1');
  await own.end();
  expect(await durations(sdk)).toEqual([
    'mysql query - mysql2: 1',
    'mysql query - orm: 1',
    'mysql query failed mysql2: 1',
  ]);
});

test('ioredis', async () => {
  await using sdk = collectMetrics();
  const redis = new LimitedRedis(Redis, {}, redisUrl);
  instrument(redis, { meter: sdk.meter });
  await redis.set('floodgate:observe', 'a');
  await redis.incr('floodgate:observe').catch(() => {});
  await redis.pipeline().get('a').get('b').exec();
  await redis.quit();
  expect(await durations(sdk)).toEqual([
    'redis command - redis: 1',
    'redis command failed redis: 1',
    'redis pipeline - redis: 1',
  ]);
});

test('aerospike', async () => {
  await using sdk = collectMetrics();
  await using under = await limitedClient(aerospikeHosts, {});
  const { client } = under;
  instrument(client, { meter: sdk.meter });
  await client.put(under.key('a'), { n: 1 });
  await client.get(under.key('a'));
  expect(await durations(sdk)).toEqual(['aerospike read - aerospike: 1', 'aerospike write - aerospike: 1']);
});

test('a limiter that two clients share is named by the first', async () => {
  await using sdk = collectMetrics();
  const limiter = new Limiter({ name: 'shared' });
  const pool = new LimitedPool(pg.Pool, { limiter }, { connectionString: url });
  const redis = new LimitedRedis(Redis, { limiter }, redisUrl);
  const undos = [pool, redis].map((client) => instrument(client, { meter: sdk.meter }));
  await pool.query('select 1');
  await redis.get('a');
  expect(await durations(sdk)).toEqual(['postgresql command - shared: 1', 'postgresql query - shared: 1']);
  for (const undo of undos) undo();
  await Promise.all([pool.end(), redis.quit()]);
});
