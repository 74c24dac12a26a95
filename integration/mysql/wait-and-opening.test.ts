import { tracingChannel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limiter } from 'floodgate';
import { LimitedMysql } from 'floodgate/mysql2';
import mysql from 'mysql2';
import promises, { type Pool, type PoolConnection } from 'mysql2/promise';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import { timesOf } from '../support/pool-times.js';
import { poolConfig } from './support/client-under-test.js';
import { sharedMysql } from './support/shared-server.js';

/*
 * Who waits in the pool's queue for a place that a lost connection leaves, has a connection opened after the wait: two
 * times, of which only the first says how busy the pool is.
 */

const url = await sharedMysql();
const oldest = createRequire(import.meta.url)('mysql2-oldest') as typeof mysql;

function poolOf({ createPool }: Pick<typeof mysql, 'createPool'>, uri = url) {
  const config = poolConfig(uri, undefined, { connectionLimit: 1 });
  const pool = new LimitedMysql(createPool, { maxConcurrentOps: 50 }, config);
  onTestFinished(() => pool.end(() => {}));
  return { pool: pool.promise(), limiter: pool.limiter };
}

type Asked = Pick<Pool, 'getConnection' | 'query' | 'execute'>;
const calls = {
  getConnection: async (pool: Asked) => (await pool.getConnection()).release(),
  query: async (pool: Asked) => void (await pool.query('select 1')),
  execute: async (pool: Asked) => void (await pool.execute('select 1')),
};
const drivers = { 'mysql2 of today': mysql, 'the oldest mysql2': oldest };
const cases = Object.entries(drivers).flatMap(([of, driver]) =>
  Object.entries(calls).map(([name, call]) => [`${name} of ${of}`, driver, call] as const),
);

/** Somebody holds the only connection for a while, and leaves no connection behind. */
async function expectTold(
  pool: Asked,
  limiter: Limiter,
  call: (pool: Asked) => Promise<void>,
  leave = (connection: PoolConnection) => connection.destroy(),
) {
  const connection = await pool.getConnection();
  const { waits, openings } = timesOf(limiter);
  const waiting = call(pool);
  await sleep(400);
  leave(connection);
  await waiting;
  expect([waits.length, openings.length]).toEqual([1, 1]);
  expect(waits[0]).toBeGreaterThan(350);
  expect(openings[0]).toBeGreaterThan(0.3);
  expect(openings[0]).toBeLessThan(200);
  expect(limiter.stats().poolWait.p95).toBeGreaterThan(330);
  expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 2, succeeded: 2, doubleReleases: 0 });
}

describe.each(cases)('%s that waits for a place', (_, driver, call) => {
  test('and has a connection opened has its wait and the opening apart', async () => {
    const { pool, limiter } = poolOf(driver);
    await expectTold(pool, limiter, call);
  });

  test('and has a connection left to it has waited all the time', async () => {
    const { pool, limiter } = poolOf(driver);
    const connection = await pool.getConnection();
    const { waits, openings } = timesOf(limiter);
    const waiting = call(pool);
    await sleep(300);
    connection.release();
    await waiting;
    expect([waits.length, openings.length]).toEqual([1, 0]);
    expect(waits[0]).toBeGreaterThan(250);
  });

  test('and whose connection cannot be opened has waited all the same', async () => {
    const { hostname, port } = new URL(url);
    await using proxy = await startFaultProxy({ host: hostname, port: Number(port) });
    const { pool, limiter } = poolOf(driver, throughProxy(url, proxy));
    const connection = await pool.getConnection();
    const { waits, openings } = timesOf(limiter);
    const waiting = expect(call(pool)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await sleep(300);
    await proxy.close();
    connection.destroy();
    await waiting;
    expect([waits.length, openings.length]).toEqual([1, 0]);
    expect(waits[0]).toBeGreaterThan(250);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, admitted: 2, overloaded: 1 });
  });
});

test('of several that wait, each has its own wait', async () => {
  const { pool, limiter } = poolOf(mysql);
  const { waits, openings } = timesOf(limiter);
  const holding = async () => {
    const connection = await pool.getConnection();
    await sleep(150);
    connection.destroy();
  };
  await Promise.all([holding(), holding(), holding(), holding()]);
  expect([waits.length, openings.length]).toEqual([3, 4]);
  for (const [place, waited] of waits.entries()) expect(waited).toBeGreaterThan(140 * (place + 1));
  for (const opening of openings) expect(opening).toBeLessThan(140);
  expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 4, succeeded: 4 });
});

test('while the pool is traced', async () => {
  const channel = tracingChannel('mysql2:pool:connect');
  const listeners = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} };
  channel.subscribe(listeners);
  onTestFinished(() => channel.unsubscribe(listeners));
  const { pool, limiter } = poolOf(mysql);
  await expectTold(pool, limiter, calls.query);
});

test('in a node of a cluster', async () => {
  const cluster = new LimitedMysql(promises.createPoolCluster, { maxConcurrentOps: 50 });
  onTestFinished(() => cluster.end().catch(() => {}));
  cluster.add('one', poolConfig(url, undefined, { connectionLimit: 1 }));
  await expectTold(cluster.of('one') as unknown as Asked, cluster.limiter, calls.query);
});
