import { createRequire } from 'node:module';
import { LimitedMysql } from 'floodgate/mysql2';
import type mysql from 'mysql2';
import promises from 'mysql2/promise';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { barePool, internalsOf, limitedPool, poolConfig } from './support/client-under-test.js';
import { sharedMysql } from './support/shared-server.js';
import { standaloneConnection } from './support/standalone-connection.js';

const oldest = createRequire(import.meta.url)('mysql2-oldest') as typeof mysql;

let url: string;
beforeAll(async () => {
  url = await sharedMysql();
});

const circular: { self?: unknown } = {};
circular.self = circular;
/** Parameters that `execute` can't put into a packet: found out when the statement is sent. */
const UNSENDABLE = [
  ['a circular object', circular],
  ['a BigInt in an object', { n: 1n }],
] as const;

const failureOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'none',
    (error: Error) => `${error.name}: ${error.message}`,
  );
const executed = (pool: mysql.Pool, value: unknown) =>
  pool.promise().execute('select ? as n', [value] as never);

/** What bare mysql2 says: the statement is prepared by the first, as in all of these tests. */
async function bareFailure(value: unknown): Promise<string> {
  await using bare = barePool(url, undefined, { connectionLimit: 1 });
  await executed(bare.pool, 1);
  return await failureOf(executed(bare.pool, value));
}

describe.each(UNSENDABLE)('a parameter that can’t be serialised (%s)', (_, value) => {
  test('costs a pool neither a permit nor a connection', async () => {
    const expected = await bareFailure(value);
    expect(expected).toMatch(/^TypeError: .*(circular|BigInt)/);
    await using limited = limitedPool(url, undefined, { maxConcurrentOps: 4 }, { connectionLimit: 1 });
    const { pool, limiter } = limited;
    await executed(pool, 1);
    // One has the connection, the others wait for it.
    const bad = await Promise.all([1, 2, 3].map(() => failureOf(executed(pool, value))));
    expect(bad).toEqual([expected, expected, expected]);
    const inCallback = new Promise((_resolve, reject) =>
      pool.execute('select ? as n', [value] as never, (error) => reject(error)),
    );
    expect(await failureOf(inCallback)).toBe(expected);
    expect(limiter.inFlight).toBe(0);
    expect(internalsOf(pool)._freeConnections.length).toBe(1);
    expect((await executed(pool, 2))[0]).toEqual([{ n: 2 }]);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 2, failed: 4, doubleReleases: 0 });
  });

  test('costs a cluster neither a permit nor a connection', async () => {
    const cluster = new LimitedMysql(promises.createPoolCluster, { maxConcurrentOps: 2 });
    onTestFinished(() => cluster.end());
    cluster.add('A', poolConfig(url, undefined, { connectionLimit: 1 }));
    const { limiter } = cluster;
    const execute = (n: unknown) => cluster.of('*').execute('select ? as n', [n] as never);
    await execute(1);
    for (let times = 0; times < 3; times++) {
      expect(await failureOf(execute(value))).toBe(await bareFailure(value));
      expect(limiter.inFlight).toBe(0);
    }
    expect((await execute(2))[0]).toEqual([{ n: 2 }]);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 2, failed: 3, doubleReleases: 0 });
    expect(limiter.stats().nodes).toMatchObject({ A: { inFlight: 0 } });
  });

  test('leaves a checked-out connection to its holder', async () => {
    await using limited = limitedPool(url, undefined, { maxConcurrentOps: 1 });
    const connection = await limited.pool.promise().getConnection();
    await connection.execute('select ? as n', [1]);
    expect(await failureOf(connection.execute('select ? as n', [value] as never))).toBe(
      await bareFailure(value),
    );
    expect(limited.limiter.inFlight).toBe(1);
    await connection.execute('select ? as n', [2]);
    connection.release();
    expect(limited.limiter.stats()).toMatchObject({ inFlight: 0, failed: 1, doubleReleases: 0 });
  });

  test('costs a standalone connection no permit', async () => {
    const core = await standaloneConnection(url, 'information_schema', { maxConcurrentOps: 1 });
    onTestFinished(() => core.destroy());
    const connection = core.promise();
    await connection.execute('select ? as n', [1]);
    for (let times = 0; times < 3; times++) {
      expect(await failureOf(connection.execute('select ? as n', [value] as never))).toBe(
        await bareFailure(value),
      );
    }
    expect((await connection.execute('select ? as n', [2]))[0]).toEqual([{ n: 2 }]);
    expect(core.limiter.stats()).toMatchObject({ inFlight: 0, failed: 3, doubleReleases: 0 });
  });
});

describe('what mysql2 turns down before anything is sent', () => {
  const queryFormat = () => {
    throw new Error('no format');
  };
  const calls = {
    'execute with an undefined parameter': (pool: mysql.Pool) => executed(pool, undefined),
    'execute with a function for a parameter': (pool: mysql.Pool) => executed(pool, () => {}),
    'a query that can’t be formatted': (pool: mysql.Pool) => pool.promise().query('select ?', [1]),
    'a stream of a query that can’t be formatted': (pool: mysql.Pool) =>
      new Promise((_, reject) => pool.query('select ?', [1]).stream().on('error', reject)),
  };

  test.each(Object.entries(calls))('(%s) counts as failed, and is no sample of latency', async (_, call) => {
    const config = { connectionLimit: 1, queryFormat };
    await using bare = barePool(url, undefined, config);
    await using limited = limitedPool(url, undefined, { maxConcurrentOps: 4 }, config);
    const expected = await failureOf(call(bare.pool));
    expect(expected).toMatch(/Bind parameters must not contain|no format/);
    expect(await failureOf(call(limited.pool))).toBe(expected);
    const { latency, ...stats } = limited.limiter.stats();
    expect(stats).toMatchObject({ inFlight: 0, admitted: 1, failed: 1, succeeded: 0 });
    expect(latency.p50).toBeUndefined();
  });
});

test('with the oldest version of mysql2 that is supported, too', async () => {
  const pool = new LimitedMysql(
    oldest.createPool,
    { maxConcurrentOps: 2 },
    poolConfig(url, undefined, { connectionLimit: 1 }),
  );
  onTestFinished(() => pool.end(() => {}));
  await executed(pool, 1);
  for (let times = 0; times < 3; times++) {
    expect(await failureOf(executed(pool, circular))).toContain('circular');
  }
  expect((await executed(pool, 2))[0]).toEqual([{ n: 2 }]);
  expect(pool.limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 2, failed: 3 });
});
