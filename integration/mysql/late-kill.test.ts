import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, PoolConnection } from 'mysql2/promise';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { connectionsOf, limitedPool, uniqueName } from './support/client-under-test.js';
import { type KillProxy, startKillProxy } from './support/kill-proxy.js';
import { type Operator, openOperator, until } from './support/operator.js';
import { sharedMysql } from './support/shared-server.js';
import { standaloneConnection } from './support/standalone-connection.js';
import { oneRow, sleeping } from './work.js';

const direct = await sharedMysql();
const database = uniqueName();
const options = { maxConcurrentOps: 5, abandonedStatements: 'cancel' } as const;
let operator: Operator;
let proxy: KillProxy;

beforeAll(async () => {
  operator = await openOperator(direct);
  await operator.createDatabase(database);
});
afterAll(() => operator[Symbol.asyncDispose]());
beforeEach(async () => {
  proxy = await startKillProxy(direct);
});
afterEach(() => proxy[Symbol.asyncDispose]());

/** A connection whose holder may send one statement after the other. */
type Holder = () => Promise<Connection | PoolConnection>;

const holders: readonly (readonly [string, Holder])[] = [
  [
    'a held connection of a pool',
    async () => {
      const limited = limitedPool(proxy.url, database, options, { connectionLimit: 1 });
      onTestFinished(() => limited[Symbol.asyncDispose]());
      return limited.pool.promise().getConnection();
    },
  ],
  [
    'a standalone connection',
    async () => {
      const connection = await standaloneConnection(proxy.url, database, options);
      onTestFinished(() => connection.destroy());
      return connection.promise();
    },
  ],
];

/** Runs for a quarter of a second, for a caller who waits a fifth of that. */
const tooSlow = sleeping(0.25, 50);
/** And the next would be at work. */
const firstIsOver = () => sleep(350);
const timedOut = (connection: Connection | PoolConnection) =>
  expect(connection.query({ ...tooSlow })).rejects.toMatchObject({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' });

describe.each(holders)('a KILL that comes when its statement is over hits nothing else: %s', (_, hold) => {
  test('not the next statement', async () => {
    const connection = await hold();
    await timedOut(connection);
    const next = connection.query(sleeping(0.4));
    await until('the request is held back', () => proxy.held === 1);
    await firstIsOver();
    proxy.letGo();
    expect((await next)[0]).toEqual([{ n: 1, 'sleep(0.4)': 0 }]);
  });

  test('nor what was sent with it', async () => {
    const connection = await hold();
    const first = timedOut(connection);
    const others = [connection.query(sleeping(0.4)), connection.execute(sleeping(0.4))];
    await first;
    await until('the request is held back', () => proxy.held === 1);
    await firstIsOver();
    proxy.letGo();
    const results = await Promise.all(others);
    expect(results.map(([rows]) => rows)).toEqual(new Array(2).fill([{ n: 1, 'sleep(0.4)': 0 }]));
  });

  test('and one that comes in time lets the next statement run at once', async () => {
    const connection = await hold();
    await expect(connection.query(sleeping(30, 50))).rejects.toThrow('Query inactivity timeout');
    const next = connection.query(oneRow);
    await until('the request is held back', () => proxy.held === 1);
    proxy.letGo();
    expect((await next)[0]).toEqual([{ n: 1 }]);
  });
});

test('it hits no later holder of a pooled connection, which has it when the KILL has been answered', async () => {
  await using limited = limitedPool(proxy.url, database, options, { connectionLimit: 1 });
  const pool = limited.pool.promise();
  await expect(pool.query({ ...tooSlow })).rejects.toThrow('Query inactivity timeout');
  const next = pool.query(sleeping(0.4));
  await until('the request is held back', () => proxy.held === 1);
  await firstIsOver();
  expect(limited.limiter.inFlight).toBe(2);
  proxy.letGo();
  expect((await next)[0]).toEqual([{ n: 1, 'sleep(0.4)': 0 }]);
  await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(0));
});

test('nothing is left of it on a connection that is used again and again', async () => {
  const connection = await standaloneConnection(direct, database, options);
  onTestFinished(() => connection.destroy());
  const { stream } = connection as unknown as { stream: EventEmitter };
  const listeners = () => stream.eventNames().map((name) => [name, stream.listenerCount(name)]);
  const before = listeners();
  for (let round = 0; round < 15; round++) {
    const answer = connection.promise().query(sleeping(30, 5));
    await expect(answer).rejects.toThrow('Query inactivity timeout');
    await connection.promise().query(oneRow);
  }
  expect(listeners()).toEqual(before);
});

describe('a KILL that is never answered', () => {
  test('costs the connection, and those in its line are told', async () => {
    const connection = await standaloneConnection(proxy.url, database, options);
    onTestFinished(() => connection.destroy());
    await timedOut(connection.promise());
    const next = connection.promise().query(oneRow);
    await expect(next).rejects.toThrow('the server does not answer, and the connection is given up');
    await until('no permit is left', () => connection.limiter.inFlight === 0);
    await until('it is gone', async () => (await operator.connections(database)) === 0);
    proxy.letGo();
  });

  test('costs a pool the connection, not the place', async () => {
    await using limited = limitedPool(proxy.url, database, options, { connectionLimit: 1 });
    const pool = limited.pool.promise();
    await expect(pool.query({ ...tooSlow })).rejects.toThrow('Query inactivity timeout');
    const [before] = connectionsOf(limited.pool);
    // In line for the one connection: it has another one.
    expect((await pool.query(oneRow))[0]).toEqual([{ n: 1 }]);
    expect(connectionsOf(limited.pool)).toHaveLength(1);
    expect(connectionsOf(limited.pool)[0]).not.toBe(before);
    await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(0));
  });
});

describe('a statement that is not killed at once keeps its permit', () => {
  test('while the server says that it is at work', async () => {
    await using harmless = await startKillProxy(direct, 'harmless');
    await using limited = limitedPool(harmless.url, database, options);
    const answer = limited.pool.promise().query(sleeping(7, 50));
    await expect(answer).rejects.toThrow('Query inactivity timeout');
    // Longer than a server may need before it is asked.
    await sleep(6_000);
    expect([limited.limiter.inFlight, await operator.running(database)]).toEqual([1, 1]);
    await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(0), { timeout: 3_000 });
    expect(await operator.running(database)).toBe(0);
    expect(limited.limiter.stats()).toMatchObject({ overloaded: 1, doubleReleases: 0 });
  });

  test('while the server has no room for the request', async () => {
    const user = `${database}_alone`;
    await operator.execute(`create user ${user}@'%' identified by 'alone' with max_user_connections 1`);
    await operator.execute(`grant all on ${database}.* to ${user}@'%'`);
    onTestFinished(() => operator.execute(`drop user ${user}@'%'`));
    const own = new URL(direct);
    own.username = user;
    own.password = 'alone';
    await using limited = limitedPool(own.href, database, options, { connectionLimit: 1 });
    const answer = limited.pool.promise().query(sleeping(0.6, 50));
    await expect(answer).rejects.toThrow('Query inactivity timeout');
    await sleep(300);
    expect([limited.limiter.inFlight, await operator.running(database)]).toEqual([1, 1]);
    await vi.waitFor(() => expect(limited.limiter.inFlight).toBe(0));
    expect(await operator.running(database)).toBe(0);
    // The connection was not given up.
    expect(connectionsOf(limited.pool)).toHaveLength(1);
    expect((await limited.pool.promise().query(oneRow))[0]).toEqual([{ n: 1 }]);
  });
});
