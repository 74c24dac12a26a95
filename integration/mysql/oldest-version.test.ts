import { createRequire } from 'node:module';
import { BackpressureError } from 'floodgate';
import { LimitedMysql, type LimitedMysqlOptions } from 'floodgate/mysql2';
import mysql from 'mysql2';
import type promiseApi from 'mysql2/promise';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { poolConfig } from './support/client-under-test.js';
import { sharedMysql } from './support/shared-server.js';

const require = createRequire(import.meta.url);
const oldest = require('mysql2-oldest') as typeof mysql;
const oldestPromises = require('mysql2-oldest/promise') as typeof promiseApi;
const { version } = require('mysql2-oldest/package.json') as { version: string };

let url: string;
beforeAll(async () => {
  url = await sharedMysql();
});

function poolOf(options: LimitedMysqlOptions, config: mysql.PoolOptions = {}) {
  const pool = new LimitedMysql(oldest.createPool, options, poolConfig(url, undefined, config));
  onTestFinished(() => pool.end(() => {}));
  return { pool, limiter: pool.limiter, promises: pool.promise() };
}

function nodeOf(cluster: object, id: string): mysql.Pool {
  return (cluster as { _nodes: Record<string, { pool: mysql.Pool }> })._nodes[id]!.pool;
}

describe('the oldest version of mysql2 that is supported', () => {
  test('is the one that package.json names', () => {
    const { peerDependencies } = require('../../package.json') as {
      peerDependencies: Record<string, string>;
    };
    expect(`${peerDependencies.mysql2}.0`).toBe(`>=${version}`);
  });

  test('makes its promises by a class of ours, which rejects as it is told; that of today by its own', () => {
    const today = new LimitedMysql(mysql.createPool, {}, poolConfig(url, undefined, {}));
    onTestFinished(() => today.end(() => {}));
    const madeBy = ({ promises }: { promises: Pool }) =>
      (promises as unknown as { Promise: unknown }).Promise;
    expect(madeBy({ promises: today.promise() })).toBe(Promise);
    expect(madeBy(poolOf({}))).not.toBe(Promise);
  });

  const calls = {
    query: (pool: Pool) => pool.query('select sleep(0.02)'),
    execute: (pool: Pool) => pool.execute('select sleep(0.02)'),
  };

  test.each(Object.entries(calls))(
    '8 of 50 calls of %s are admitted at a limit of 8, and every permit comes back',
    async (_, call) => {
      const { limiter, promises } = poolOf({ maxConcurrentOps: 8 }, { connectionLimit: 4 });
      const results = await Promise.allSettled(Array.from({ length: 50 }, () => call(promises)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
      expect(
        results.filter(
          (result) => result.status === 'rejected' && result.reason instanceof BackpressureError,
        ),
      ).toHaveLength(42);
      expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 8, succeeded: 8, rejected: 42 });
    },
  );

  test('a failing execute() counts as failed once, and its connection serves on', async () => {
    const { limiter, promises } = poolOf({ maxConcurrentOps: 2 }, { connectionLimit: 1 });
    for (let times = 0; times < 3; times++) {
      await expect(promises.execute('no sql')).rejects.toMatchObject({ code: 'ER_PARSE_ERROR' });
    }
    expect((await promises.execute('select ? as n', [1]))[0]).toEqual([{ n: 1 }]);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, failed: 3, succeeded: 1 });
  });

  test('a transaction holds one permit from getConnection to release', async () => {
    const { limiter, promises } = poolOf({ maxConcurrentOps: 1 });
    const connection = await promises.getConnection();
    await connection.beginTransaction();
    await connection.query('select 1');
    await expect(promises.query('select 1')).rejects.toBeInstanceOf(BackpressureError);
    await connection.commit();
    expect(limiter.inFlight).toBe(1);
    connection.release();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 1, succeeded: 1, rejected: 1 });
  });

  test('a stream gives its permit back at its end, and a timeout when the server is done', async () => {
    const { pool, limiter, promises } = poolOf({ maxConcurrentOps: 1 });
    const rows: unknown[] = [];
    for await (const row of pool.query('select 1 as n union select 2').stream()) rows.push(row);
    expect(rows).toEqual([{ n: 1 }, { n: 2 }]);
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
    await expect(promises.query({ sql: 'select sleep(0.4)', timeout: 100 })).rejects.toMatchObject({
      code: 'PROTOCOL_SEQUENCE_TIMEOUT',
    });
    expect(limiter.inFlight).toBe(1);
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0), 5_000);
  });

  test('what waits for a connection when its pool is ended is never answered, and its permit comes back', async () => {
    const { pool, limiter } = poolOf({ maxConcurrentOps: 10 }, { connectionLimit: 2 });
    const heard: unknown[] = [];
    for (let index = 0; index < 5; index++) {
      pool.query('select sleep(0.1)', (error) => heard.push(error ?? index));
    }
    await vi.waitFor(() => expect(limiter.stats().classes.query?.running).toBe(5));
    await new Promise<void>((ended) => setTimeout(() => pool.end(() => ended()), 50));
    expect(heard).toEqual([0, 1]);
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
    expect(limiter.stats()).toMatchObject({ admitted: 5, succeeded: 2, ignored: 3 });
  });

  test.each([
    ['a cluster is ended', (cluster: object) => (cluster as mysql.PoolCluster).end(() => {}), 2, 4],
    // As the cluster does with a node that has failed too often.
    [
      'one of two nodes is, and those of the other stay',
      (cluster: object) => nodeOf(cluster, 'one').end(() => {}),
      4,
      2,
    ],
  ] as const)('nor when %s', async (_, end, served, ignored) => {
    const cluster = new LimitedMysql(oldest.createPoolCluster, { maxConcurrentOps: 20 });
    const heard: unknown[] = [];
    for (const id of ['one', 'two']) {
      cluster.add(id, poolConfig(url, undefined, { connectionLimit: 1 }));
      for (let count = 0; count < 3; count++) {
        cluster.of(id).query('select sleep(0.1)', (error: unknown) => heard.push(error));
      }
    }
    await vi.waitFor(() => expect(cluster.limiter.stats().classes.query?.running).toBe(6));
    await new Promise((resolve) => setTimeout(resolve, 50));
    end(cluster);
    await vi.waitFor(() => expect(cluster.limiter.inFlight).toBe(0));
    expect(heard).toEqual(Array(served).fill(null));
    expect(cluster.limiter.stats()).toMatchObject({ admitted: 6, succeeded: served, ignored });
    cluster.end(() => {});
  });

  test('a rejection in a PoolCluster counts against no node', async () => {
    const cluster = new LimitedMysql(
      oldest.createPoolCluster,
      { maxConcurrentOps: 1 },
      { removeNodeErrorCount: 1 },
    );
    onTestFinished(() => cluster.end(() => {}));
    cluster.add('one', poolConfig(url, undefined, { connectionLimit: 4 }));
    const call = () =>
      new Promise((resolve, reject) => {
        cluster.of('*').query('select sleep(0.02)', (error: unknown) => (error ? reject(error) : resolve(1)));
      });
    for (let round = 0; round < 3; round++) {
      const results = await Promise.allSettled([call(), call(), call()]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    }
    expect(cluster.limiter.stats()).toMatchObject({ inFlight: 0, admitted: 3, rejected: 6 });
  });

  describe('its promises, which reject with errors of their own, reject with the very rejection', () => {
    const full = { reason: 'limit', limit: 1, retryAfterMs: expect.any(Number) };

    async function expectRejections(calls: readonly Promise<unknown>[]) {
      for (const result of await Promise.allSettled(calls)) {
        expect(result).toMatchObject({ status: 'rejected', reason: expect.any(BackpressureError) });
        expect(result).toMatchObject({ reason: full });
      }
    }

    test('of a pool', async () => {
      const config = poolConfig(url, undefined, { connectionLimit: 1 });
      const pool = new LimitedMysql(oldestPromises.createPool, { maxConcurrentOps: 1 }, config);
      onTestFinished(() => pool.end());
      const connection = await pool.getConnection();
      await expectRejections([pool.query('select 1'), pool.execute('select 1'), pool.getConnection()]);
      connection.release();
      await expect(pool.query('no sql')).rejects.toMatchObject({ code: 'ER_PARSE_ERROR', errno: 1064 });
      expect(pool.limiter.stats()).toMatchObject({ inFlight: 0, rejected: 3, failed: 1 });
    });

    test('of one that is limited through its promise(), of a class of promises of the caller', async () => {
      class Mine<T> extends Promise<T> {}
      const { pool } = poolOf({ maxConcurrentOps: 1 });
      const promises = pool.promise(Mine as PromiseConstructor);
      const first = promises.query('select sleep(0.05)');
      expect(first).toBeInstanceOf(Mine);
      await expectRejections([promises.query('select 1')]);
      await first;
    });

    test('of a connection and its statements', async () => {
      const config = poolConfig(url, undefined, {}) as mysql.ConnectionOptions;
      const connection = await new LimitedMysql(
        oldestPromises.createConnection,
        { maxConcurrentOps: 1 },
        config,
      );
      onTestFinished(() => connection.end());
      const statement = await connection.prepare('select 1');
      await vi.waitFor(() => expect(connection.limiter.inFlight).toBe(0));
      const first = connection.query('select sleep(0.05)');
      await expectRejections([
        connection.query('select 1'),
        connection.execute('select 1'),
        statement.execute([]),
        connection.prepare('select 2'),
        connection.beginTransaction(),
        connection.ping(),
      ]);
      await first;
      expect(connection.limiter.inFlight).toBe(0);
    });

    test('of a cluster and its namespaces', async () => {
      const cluster = new LimitedMysql(oldestPromises.createPoolCluster, { maxConcurrentOps: 1 });
      onTestFinished(() => cluster.end());
      cluster.add('one', poolConfig(url, undefined, { connectionLimit: 2 }));
      const connection = await cluster.getConnection();
      const namespace = cluster.of('one');
      await expectRejections([
        cluster.getConnection(),
        namespace.getConnection(),
        namespace.query('select 1'),
        namespace.execute('select 1'),
      ]);
      connection.release();
    });

    test('of what waits for a connection when a drain has no more time', async () => {
      const { promises, limiter } = poolOf({ maxConcurrentOps: 3 }, { connectionLimit: 1 });
      const first = promises.query('select sleep(0.2)');
      const waiting = [promises.query('select 1'), promises.execute('select 1')];
      await Promise.all([
        limiter.drain({ timeoutMs: 20 }),
        ...waiting.map((call) =>
          expect(call).rejects.toMatchObject({ constructor: BackpressureError, reason: 'draining' }),
        ),
      ]);
      await first;
      expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 3, ignored: 2 });
    });
  });
});
