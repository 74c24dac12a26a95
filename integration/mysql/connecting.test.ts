import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BackpressureError, Limiter } from 'floodgate';
import { LimitedMysql, type LimitedMysqlOptions, limitDriver } from 'floodgate/mysql2';
import mysql from 'mysql2';
import promises from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { poolConfig, uniqueName } from './support/client-under-test.js';
import { type Operator, openOperator } from './support/operator.js';
import { sharedMysql } from './support/shared-server.js';
import { untilSetUp } from './support/standalone-connection.js';

const url = await sharedMysql();
const database = uniqueName();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.createDatabase(database);
});
afterAll(() => operator[Symbol.asyncDispose]());

/** A connection on its way, not waited for. */
function opening(
  options: LimitedMysqlOptions,
  config: mysql.ConnectionOptions = poolConfig(url, database, {}),
) {
  const connection = new LimitedMysql(mysql.createConnection, options, config);
  const failures: Error[] = [];
  connection.on('error', (error) => failures.push(error));
  onTestFinished(() => connection.destroy());
  return { connection, failures, limiter: connection.limiter };
}

const classOf = (limiter: Limiter) => limiter.stats().classes.connection;

/** A port that counts who comes, and lets nobody in. */
async function countedPort() {
  let callers = 0;
  const server = createServer((socket) => {
    callers++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    config: { host: '127.0.0.1', port: (server.address() as { port: number }).port },
    callers: () => callers,
  };
}

describe('connecting takes a permit', () => {
  test('on which the commands that set the connection up ride', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 1 });
    expect(limiter.inFlight).toBe(1);
    await once(connection, 'connect');
    await connection.promise().query("set time_zone = '+00:00'");
    await connection.promise().execute('select 1');
    expect(limiter.inFlight).toBe(1);
    await untilSetUp(limiter);
    expect(limiter.stats()).toMatchObject({ admitted: 1, succeeded: 1, rejected: 0, peakInFlight: 1 });
    expect(classOf(limiter)).toMatchObject({ admitted: 1, succeeded: 1 });
    expect(limiter.stats().connectTime.p95).toBeGreaterThan(0);
    await connection.promise().query('select 1');
    expect(limiter.stats()).toMatchObject({ admitted: 2, succeeded: 2, inFlight: 0 });
  });

  test('on which the first command rides that does not wait for it, and the others take their own', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 2 });
    const answers = [1, 2, 3].map((n) =>
      connection
        .promise()
        .query(`select ${n}`)
        .then(() => n, String),
    );
    expect(limiter.inFlight).toBe(2);
    expect(await Promise.all(answers)).toEqual([1, 2, expect.stringContaining('BackpressureError')]);
    await untilSetUp(limiter);
    expect(limiter.stats()).toMatchObject({ admitted: 2, succeeded: 2, rejected: 1 });
  });

  test('on which a hot loop rides no longer than a set-up takes', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 1 });
    for (let n = 0; n < 25; n++) {
      await connection.promise().query('select 1');
      await connection.promise().execute('select 1');
    }
    await untilSetUp(limiter);
    expect(limiter.stats()).toMatchObject({ admitted: 43, succeeded: 43, rejected: 0, peakInFlight: 1 });
    expect(classOf(limiter)).toMatchObject({ admitted: 1 });
    expect(limiter.stats().classes.query).toMatchObject({ admitted: 42 });
  });

  test('whose queries at work are rejected like any others', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 1 });
    const answers: string[] = [];
    for (let n = 1; n <= 12; n++) {
      const answer = connection.promise().query('select 1');
      answers.push(
        await answer.then(
          () => 'ok',
          (error: Error) => error.name,
        ),
      );
      if (n === 8) limiter.acquire();
    }
    expect(answers).toEqual([...Array(8).fill('ok'), ...Array(4).fill('BackpressureError')]);
  });

  test('on which nothing more rides when the limiter drains', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 5 });
    let served = 0;
    let drained: Promise<void> | undefined;
    const loop = async () => {
      for (;;) {
        await connection.promise().query('select 1');
        served++;
        if (served === 2) drained = limiter.drain();
      }
    };
    await expect(loop()).rejects.toMatchObject({ name: 'BackpressureError', reason: 'draining' });
    await drained;
    expect(served).toBe(2);
    await expect(connection.promise().beginTransaction()).rejects.toMatchObject({ reason: 'draining' });
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, admitted: 1, succeeded: 1 });
  });

  test('that a drain lets end when the connection is open', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 5 });
    const drained = limiter.drain();
    await once(connection, 'connect');
    await drained;
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, succeeded: 1 });
  });

  test('that a transaction begun at once keeps to its end', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 1 });
    await connection.promise().beginTransaction();
    await nextTurn();
    await connection.promise().query('select 1');
    await nextTurn();
    expect(limiter.inFlight).toBe(1);
    await connection.promise().commit();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 1, succeeded: 1 });
  });

  test('that is back in the step in which the connection is ended', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 1 });
    await connection.promise().query('select 1');
    connection.end();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 1 });
    await opening({ limiter }).connection.promise().query('select 1');
  });

  test('promised, too', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const config = poolConfig(url, database, {});
    const promise = new LimitedMysql(promises.createConnection, { limiter }, config);
    expect(promise).toBeInstanceOf(Promise);
    expect(limiter.inFlight).toBe(1);
    const connection = await promise;
    onTestFinished(() => connection.destroy());
    await connection.query('select 1');
    expect(limiter.stats()).toMatchObject({ inFlight: 1, admitted: 1 });
    await untilSetUp(limiter);
    expect(classOf(limiter)).toMatchObject({ admitted: 1, succeeded: 1 });
    expect(limiter.stats().connectTime.p95).toBeGreaterThan(0);
  });

  test('unless the connection was there before', async () => {
    const bare = mysql.createConnection(poolConfig(url, database, {}));
    onTestFinished(() => bare.destroy());
    const { limiter } = new LimitedMysql(bare, { maxConcurrentOps: 1 });
    expect(limiter.inFlight).toBe(0);
    await bare.promise().query('select 1');
    expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 1 });
    expect(classOf(limiter)).toBeUndefined();
  });
});

describe('a connection that fails', () => {
  test.each([
    ['refused', { host: '127.0.0.1', port: 1 }, { code: 'ECONNREFUSED' }, 'overloaded'],
    [
      'with a wrong password',
      { ...poolConfig(url, undefined, {}), uri: url.replace(/:[^:@]+@/, ':no@') },
      { errno: 1045 },
      'failed',
    ],
    ['to a database that is not there', poolConfig(url, 'no_such_database', {}), { errno: 1049 }, 'failed'],
  ] as const)(
    '(%s) gives its permit back, with what it says of the server',
    async (_, config, error, outcome) => {
      const { connection, failures, limiter } = opening({ maxConcurrentOps: 1 }, config);
      const asked = connection
        .promise()
        .query('select 1')
        .catch((reason) => reason);
      expect(await asked).toMatchObject(error);
      await vi.waitFor(() =>
        expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 1, [outcome]: 1 }),
      );
      expect(failures).toEqual([]);
      const promise = new LimitedMysql(promises.createConnection, { limiter }, config);
      await expect(promise).rejects.toMatchObject(error);
      expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 2, [outcome]: 2, doubleReleases: 0 });
    },
  );

  test.each([
    [
      'LimitedMysql',
      (config: mysql.ConnectionOptions) => new LimitedMysql(promises.createConnection, {}, config),
    ],
    ['limitDriver', (config: mysql.ConnectionOptions) => limitDriver(promises).createConnection(config)],
  ])('has a trace that begins at the caller (%s)', async (_, create) => {
    const theCaller = async () => await create({ host: '127.0.0.1', port: 1 });
    const error = await theCaller().catch((reason: Error) => reason);
    const [message, first, second] = (error as Error).stack!.split('\n');
    expect(message).toContain('connect ECONNREFUSED');
    expect(first).toContain('connecting.test.ts');
    expect(second).toContain('theCaller');
  });

  test('because its user has closed it gives its permit back', async () => {
    const { connection, limiter } = opening({ maxConcurrentOps: 1 });
    connection.destroy();
    await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, ignored: 1 }));
  });

  test('because its configuration is no good costs no permit', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const config = { host: 'localhost', ssl: 'no such profile' };
    expect(() => new LimitedMysql(mysql.createConnection, { limiter }, config)).toThrow('no such profile');
    expect(() => new LimitedMysql(promises.createConnection, { limiter }, config)).toThrow('no such profile');
    expect(limiter.inFlight).toBe(0);
  });
});

describe('a connection that is rejected', () => {
  test('is told of as any that fails, in each form, and the server never hears of it', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const permit = limiter.acquire();
    const { config, callers } = await countedPort();
    const rejection = { name: 'BackpressureError', reason: 'limit', operation: 'connect' };
    for (const host of [config.host, 'localhost']) {
      const asIs = opening({ limiter }, { ...config, host });
      expect(asIs.failures).toEqual([]);
      await vi.waitFor(() => expect(asIs.failures).toEqual([expect.objectContaining(rejection)]));
      const connected = opening({ limiter }, { ...config, host });
      expect(await new Promise((resolve) => connected.connection.connect(resolve))).toMatchObject(rejection);
      const queried = opening({ limiter }, { ...config, host });
      expect(await new Promise((resolve) => queried.connection.query('select 1', resolve))).toMatchObject(
        rejection,
      );
      const promise = new LimitedMysql(promises.createConnection, { limiter }, { ...config, host });
      await expect(promise).rejects.toBeInstanceOf(BackpressureError);
    }
    permit.release();
    // One that is admitted comes after all that were not.
    await expect(new LimitedMysql(promises.createConnection, { limiter }, config)).rejects.toMatchObject({
      code: 'PROTOCOL_CONNECTION_LOST',
    });
    expect(callers()).toBe(1);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, rejected: 8, doubleReleases: 0 });
  });

  test('by a bulkhead of its own', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 5, bulkheads: { connection: 1 } });
    const first = opening({ limiter });
    const second = opening({ limiter });
    await once(first.connection, 'connect');
    expect(second.failures).toEqual([expect.objectContaining({ reason: 'bulkhead' })]);
    await untilSetUp(limiter);
    await once(opening({ limiter }).connection, 'connect');
  });

  test('promised as the configuration wants promises', async () => {
    class OwnPromise<T> extends Promise<T> {}
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    const config = { ...poolConfig(url, database, {}), Promise: OwnPromise };
    const promise = new LimitedMysql(promises.createConnection, { limiter }, config);
    expect(promise).toBeInstanceOf(OwnPromise);
    await expect(promise).rejects.toBeInstanceOf(BackpressureError);
  });
});
