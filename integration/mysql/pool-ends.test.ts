import { setTimeout as sleep } from 'node:timers/promises';
import { BackpressureError } from 'floodgate';
import { LimitedMysql, nested } from 'floodgate/mysql2';
import type { PoolConnection, RowDataPacket } from 'mysql2';
import promises, { type Pool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { barePool, internalsOf, limitedPool, poolConfig, uniqueName } from './support/client-under-test.js';
import { type Operator, openOperator, until } from './support/operator.js';
import { sharedMysql } from './support/shared-server.js';
import { sleeping } from './work.js';

const url = await sharedMysql();
const database = uniqueName();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.createDatabase(database);
});
afterAll(() => operator[Symbol.asyncDispose]());

/** Leaves a row behind, if it is let. */
const SLOW_INSERT = { sql: 'insert into marks select sleep(0.3)', timeout: 50 };
const NAP = { sql: 'select sleep(0.05)' };
const toldBy = (answer: Promise<unknown>) =>
  answer.then(
    () => 'ok',
    (error: Error) => error,
  );

describe('pool.end()', () => {
  test('gives permits back when the connections are really free, not before', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 8 }, { connectionLimit: 3 });
    const { pool, limiter } = limited;
    await checkOut(pool);
    const running = pool.promise().query(sleeping(0.1));
    await operator.untilRunning(database);
    expect(limiter.inFlight).toBe(2);
    const ended = pool.promise().end();
    expect(limiter.inFlight).toBe(2);
    await running;
    await ended;
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
    await until('no connection is left', async () => (await operator.connections(database)) === 0);
    expect(limiter.stats()).toMatchObject({ succeeded: 2, doubleReleases: 0 });
  });

  test('after an awaited query leaves no permit behind', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 8 });
    await limited.pool.promise().query('select 1');
    const closed = limited.pool.promise().end();
    await closed;
    await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(0));
  });

  test('answers those in line as bare mysql2 does', async () => {
    const messages = [];
    for (const subject of [barePool(url, database), limitedPool(url, database, { maxConcurrentOps: 8 })]) {
      await using closing = subject;
      const pool = closing.pool.promise();
      const answers = Array.from({ length: 4 }, () => toldBy(pool.query(NAP)));
      await pool.end();
      messages.push((await Promise.all(answers)).map(String));
    }
    expect(messages[1]).toEqual(messages[0]);
    expect(messages[0]).toContain('Error: Pool is closed.');
  });

  test.each([
    ['query', (pool: Pool) => pool.query(SLOW_INSERT)],
    ['execute', (pool: Pool) => pool.execute(SLOW_INSERT)],
    ['on a held connection', async (pool: Pool) => (await pool.getConnection()).query(SLOW_INSERT)],
  ])(
    'waits for a statement that has timed out, as bare mysql2 does, and loses no write (%s)',
    async (_, write) => {
      for (const subject of [barePool(url, database), limitedPool(url, database, { maxConcurrentOps: 8 })]) {
        await using closing = subject;
        const pool = closing.pool.promise();
        await operator.execute(`delete from ${database}.marks`);
        await expect(write(pool)).rejects.toThrow('Query inactivity timeout');
        expect(await operator.running(database)).toBe(1);
        await pool.end();
        expect(await operator.column(`select count(*) from ${database}.marks`)).toEqual([1]);
        const { limiter } = closing.pool as Partial<LimitedMysql>;
        if (limiter === undefined) continue;
        await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
        expect(limiter.stats()).toMatchObject({ overloaded: 1, doubleReleases: 0 });
      }
    },
  );

  test('of a cluster does the same', async () => {
    const cluster = new LimitedMysql(promises.createPoolCluster, { maxConcurrentOps: 8 });
    cluster.add('A', poolConfig(url, database, {}));
    await operator.execute(`delete from ${database}.marks`);
    await expect(cluster.of('*').query(SLOW_INSERT)).rejects.toThrow('Query inactivity timeout');
    expect(cluster.limiter.inFlight).toBe(1);
    await cluster.end();
    expect(await operator.column(`select count(*) from ${database}.marks`)).toEqual([1]);
    await vi.waitFor(() => expect(cluster.limiter.inFlight).toBe(0));
  });

  test("ends it with `abandonedStatements: 'cancel'`, or at abandonedTimeoutMs", async () => {
    for (const options of [{ abandonedStatements: 'cancel' as const }, { abandonedTimeoutMs: 100 }]) {
      await using limited = limitedPool(url, database, { maxConcurrentOps: 8, ...options });
      const pool = limited.pool.promise();
      await expect(pool.query(sleeping(30, 50))).rejects.toThrow('Query inactivity timeout');
      await pool.end();
      await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(0));
      expect(await operator.running(database)).toBe(0);
    }
  });
});

describe('nested()', () => {
  test('rides on the permit of the transaction around it', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 1 });
    const connection = await limited.pool.promise().getConnection();
    await expect(limited.pool.promise().query('select 1')).rejects.toThrow(BackpressureError);
    await nested(limited.pool, () => limited.pool.promise().query('select 1'));
    connection.release();
    const { classes, inFlight, peakInFlight } = limited.limiter.stats();
    expect([classes.nested?.admitted, inFlight, peakInFlight]).toEqual([1, 0, 1]);
  });
});

describe('a drain', () => {
  test('lets admitted work end, and refuses at its deadline what still waits for a connection', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 8 }, { connectionLimit: 1 });
    const { pool, limiter } = limited;
    const running = pool.promise().query(sleeping(0.2));
    const waiting = [
      pool.promise().query('select 1'),
      pool.promise().execute('select 1'),
      pool.promise().getConnection(),
    ].map(toldBy);
    const draining = limiter.drain({ timeoutMs: 50 });
    expect(await toldBy(pool.promise().query('select 1'))).toMatchObject({ reason: 'draining' });
    await draining;
    const rejection = { name: 'BackpressureError', reason: 'draining' };
    expect(await Promise.all(waiting)).toMatchObject([
      { ...rejection, operation: 'query' },
      { ...rejection, operation: 'query' },
      { ...rejection, operation: 'getConnection' },
    ]);
    await running;
    await vi.waitFor(() => expect(limiter.stats().state).toBe('drained'));
    // The connection that came too late for the one in line is back in the pool.
    await vi.waitFor(() => expect(internalsOf(pool)._freeConnections.length).toBe(1));
  });
});

describe('the figures', () => {
  test('tell waiting for a connection from opening one, and count each query once', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 50 });
    const pool = limited.pool.promise();
    const waits: number[] = [];
    const connects: number[] = [];
    const latencies: number[] = [];
    limited.limiter.subscribe({
      onPoolWait: (ms) => waits.push(ms),
      onConnectTime: (ms) => connects.push(ms),
      onLatency: (_, ms) => latencies.push(ms),
    });
    await Promise.all([pool.query('select 1'), pool.query('select 1')]);
    expect([waits.length, connects.length, latencies.length]).toEqual([0, 2, 2]);
    await Promise.all(Array.from({ length: 8 }, () => pool.execute('select sleep(0.05)')));
    expect([waits.length, connects.length, latencies.length]).toEqual([8, 2, 10]);
    const rounds = waits.map((ms) => Math.round(ms / 53)).sort();
    expect(rounds).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    for (const latency of latencies.slice(2)) expect(latency).toBeGreaterThan(45);
  });

  test('a holder who thinks is no latency', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 5 });
    const connection = await limited.pool.promise().getConnection();
    await connection.query('select 1');
    await sleep(100);
    await connection.query('select 1');
    connection.release();
    expect(limited.limiter.stats().latency.p99).toBeLessThan(60);
  });
});

function checkOut(pool: Parameters<typeof internalsOf>[0]): Promise<PoolConnection> {
  return new Promise((resolve, reject) =>
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection))),
  );
}

test('rows and fields arrive as with a bare pool', async () => {
  const results = [];
  for (const subject of [barePool(url, database), limitedPool(url, database, { maxConcurrentOps: 8 })]) {
    await using open = subject;
    const pool = open.pool.promise();
    const [rows, fields] = await pool.query<RowDataPacket[]>('select n, ? as word from numbers', ['a']);
    const [executed] = await pool.execute<RowDataPacket[]>('select n from numbers where n > ?', [1]);
    results.push({ rows, names: fields.map(({ name }) => name), executed });
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[0]!.rows).toHaveLength(3);
});
