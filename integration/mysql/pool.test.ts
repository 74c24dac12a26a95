import { tracingChannel } from 'node:diagnostics_channel';
import { BackpressureError } from 'floodgate';
import type { PoolConnection } from 'mysql2';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectionsOf, internalsOf, limitedPool, uniqueName } from './support/client-under-test.js';
import { type Operator, openOperator } from './support/operator.js';
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

const NAP = { sql: 'select sleep(0.05)' };
const toldBy = (answer: Promise<unknown>) =>
  answer.then(
    () => 'ok',
    (error: Error) => error,
  );

describe('the permit is the checkout', () => {
  test('of 50 queries at once at limit 8, 8 are served and 42 rejected', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 8 });
    const pool = limited.pool.promise();
    const results = await Promise.all(Array.from({ length: 50 }, () => toldBy(pool.query(NAP))));
    expect(results.filter((result) => result === 'ok')).toHaveLength(8);
    expect(results.filter((result) => result instanceof BackpressureError)).toHaveLength(42);
    expect(limited.limiter.stats()).toMatchObject({
      inFlight: 0,
      peakInFlight: 8,
      admitted: 8,
      rejected: 42,
    });
  });

  test('nothing is rejected inside a transaction, however full it is', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 1 }, { connectionLimit: 10 });
    const pool = limited.pool.promise();
    const transaction = async () => {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        await connection.query(NAP);
        await connection.commit();
      } finally {
        connection.release();
      }
    };
    const results = await Promise.all(Array.from({ length: 10 }, () => toldBy(transaction())));
    expect(results.filter((result) => result === 'ok')).toHaveLength(1);
    expect(results.filter((result) => result instanceof BackpressureError)).toHaveLength(9);
    expect(limited.limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 1, failed: 0 });
  });

  test('given back three times, it is one, and no connection is lent twice (async-sema)', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 8 }, { connectionLimit: 3 });
    const { pool, limiter } = limited;
    const connection = await checkOut(pool);
    connection.release();
    connection.release();
    connection[Symbol.dispose]();
    pool.releaseConnection(connection);
    pool.releaseConnection(connection);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 1, doubleReleases: 2 });
    expect(internalsOf(pool)._freeConnections.length).toBe(1);
    const [a, b] = await Promise.all([checkOut(pool), checkOut(pool)]);
    expect(a).not.toBe(b);
    expect(limiter.inFlight).toBe(2);
    a.release();
    b.release();
    expect(limiter.inFlight).toBe(0);
  });

  test('what was sent and not waited for keeps the permit after release()', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 8 }, { connectionLimit: 1 });
    const connection = await checkOut(limited.pool);
    connection.query(NAP, () => {});
    connection.query(NAP, () => {});
    connection.release();
    expect(limited.limiter.inFlight).toBe(1);
    // mysql2 lends it at once; the next holder has a permit of its own.
    const next = await checkOut(limited.pool);
    expect([next === connection, limited.limiter.inFlight]).toEqual([true, 2]);
    await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(1));
    next.release();
    expect(limited.limiter.inFlight).toBe(0);
  });

  test('a connection destroyed under a statement keeps the permit until the server is done', async () => {
    await using limited = limitedPool(url, database, { maxConcurrentOps: 8 });
    const connection = await checkOut(limited.pool);
    connection.query(sleeping(0.2), () => {});
    await operator.untilRunning(database);
    connection.destroy();
    connection.release();
    expect([await operator.running(database), limited.limiter.inFlight]).toEqual([1, 1]);
    await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(0));
    expect(await operator.running(database)).toBe(0);
  });

  test('maxCheckoutMs takes it from a holder that leaks it, and ends what it runs', async () => {
    const options = { maxConcurrentOps: 1, maxCheckoutMs: 50 };
    await using limited = limitedPool(url, database, options, { connectionLimit: 1 });
    const connection = await checkOut(limited.pool);
    connection.query(sleeping(30), () => {});
    await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(0));
    expect(await operator.running(database)).toBe(0);
    expect(limited.limiter.stats()).toMatchObject({ failed: 1, doubleReleases: 0 });
    connection.release();
    await limited.pool.promise().query('select 1');
    expect(limited.limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 1, doubleReleases: 0 });
  });
});

describe('a waiter whose turn comes by the death of a connection', () => {
  test.each([
    ['destroyed', (connection: PoolConnection) => connection.destroy()],
    ['killed', (connection: PoolConnection) => operator.execute(`kill ${connection.threadId}`)],
  ])('(%s) is served, on the permit that it has, traced or not', async (_, end) => {
    const channel = tracingChannel('mysql2:pool:connect');
    const nothing = () => {};
    const subscribers = {
      start: nothing,
      end: nothing,
      asyncStart: nothing,
      asyncEnd: nothing,
      error: nothing,
    };
    for (const traced of [false, true]) {
      if (traced) channel.subscribe(subscribers);
      await using limited = limitedPool(url, database, { maxConcurrentOps: 3 }, { connectionLimit: 1 });
      const { pool, limiter } = limited;
      const holder = await checkOut(pool);
      holder.on('error', nothing);
      const waiters = [pool.promise().query('select 1'), pool.promise().query('select 1')];
      expect(limiter.inFlight).toBe(3);
      await end(holder);
      await Promise.all(waiters);
      await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
      expect(limiter.stats()).toMatchObject({ admitted: 3, rejected: 0, peakInFlight: 3, doubleReleases: 0 });
      if (traced) channel.unsubscribe(subscribers);
    }
  });

  test('(a failed reset on release) is served on the permit that it has', async () => {
    const config = { connectionLimit: 1, resetOnRelease: true };
    await using limited = limitedPool(url, database, { maxConcurrentOps: 2 }, config);
    const { pool, limiter } = limited;
    const holder = await checkOut(pool);
    holder.on('error', () => {});
    const waiter = pool.promise().query('select 1');
    // The connection dies under the reset.
    holder.release();
    connectionsOf(pool)[0]!.stream.destroy();
    await waiter;
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
    expect(limiter.stats()).toMatchObject({ admitted: 2, rejected: 0, peakInFlight: 2 });
  });
});

function checkOut(pool: Parameters<typeof internalsOf>[0]): Promise<PoolConnection> {
  return new Promise((resolve, reject) =>
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection))),
  );
}
