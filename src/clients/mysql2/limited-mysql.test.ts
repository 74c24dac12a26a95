import mysql from 'mysql2';
import promises from 'mysql2/promise';
import { afterEach, describe, expect, test } from 'vitest';
import { Limiter } from '../../core/limiter.js';
import { LimitedMysql, limitDriver, nested } from './index.js';

// Classes that the modules have and their types don't show.
const { Pool, PoolCluster, Connection } = mysql as unknown as Record<string, new () => unknown>;
const { PromisePool } = promises as unknown as Record<string, new () => unknown>;

// A pool connects when it is asked for a connection; a connection does at once, and is told that it can't.
const NOWHERE = { host: '127.0.0.1', port: 1 };
const connections: mysql.Connection[] = [];

function connect(): mysql.Connection {
  const connection = mysql.createConnection(NOWHERE);
  connection.on('error', () => {});
  connections.push(connection);
  return connection;
}

afterEach(() => {
  for (const connection of connections.splice(0)) connection.destroy();
});

describe('LimitedMysql returns what came in, with a limiter', () => {
  const clients: readonly (readonly [string, () => object])[] = [
    ['a pool', () => mysql.createPool(NOWHERE)],
    ['a promise pool', () => promises.createPool(NOWHERE)],
    ['the promise side of a pool', () => mysql.createPool(NOWHERE).promise()],
    ['a cluster', () => mysql.createPoolCluster()],
    ['a promise cluster', () => promises.createPoolCluster()],
    ['a connection', connect],
    ['the promise side of a connection', () => connect().promise()],
  ];

  test.each(clients)('%s', (_, make) => {
    const client = make();
    const before = { keys: Object.keys(client), prototype: Object.getPrototypeOf(client) };
    const limited = new LimitedMysql(client as mysql.Pool, { maxConcurrentOps: 7 });
    expect(limited).toBe(client);
    expect(limited.limiter).toBeInstanceOf(Limiter);
    expect([limited.limiter.limit, limited.limiter.stats().name]).toEqual([7, 'mysql2']);
    expect(limited).toBeInstanceOf(LimitedMysql);
    expect({ keys: Object.keys(limited), prototype: Object.getPrototypeOf(limited) }).toEqual(before);
  });

  test.each([
    ['createPool', () => new LimitedMysql(mysql.createPool, {}, NOWHERE), Pool],
    ['createPoolCluster', () => new LimitedMysql(mysql.createPoolCluster), PoolCluster],
    [
      'createPool of the promise module',
      () => new LimitedMysql(promises.createPool, {}, NOWHERE),
      PromisePool,
    ],
  ])('made by %s', (_, make, Class) => {
    const client = make();
    expect(client).toBeInstanceOf(Class!);
    expect(client).toBeInstanceOf(LimitedMysql);
  });

  test('made by createConnection', () => {
    const connection = new LimitedMysql(mysql.createConnection, {}, NOWHERE);
    connection.on('error', () => {});
    connections.push(connection);
    expect(connection).toBeInstanceOf(Connection!);
    expect(connection.limiter.limit).toBe(1000);
  });

  test('promised by createConnection of the promise module: so is its failure', async () => {
    const promise = new LimitedMysql(promises.createConnection, {}, NOWHERE);
    expect(promise).toBeInstanceOf(Promise);
    await expect(promise).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('methods keep their names and lengths, own but not enumerable', () => {
    const bare = mysql.createPool(NOWHERE);
    const pool = new LimitedMysql(mysql.createPool, {}, NOWHERE);
    for (const name of ['getConnection', 'releaseConnection', 'query', 'execute', 'end'] as const) {
      expect([pool[name].name, pool[name].length]).toEqual([bare[name].name, bare[name].length]);
      expect(Object.getOwnPropertyDescriptor(pool, name)).toMatchObject({
        enumerable: false,
        writable: true,
      });
    }
    expect(JSON.stringify(Object.keys(pool))).toBe(JSON.stringify(Object.keys(bare)));
  });

  test('no listener is added to a pool or a cluster', () => {
    const pool = new LimitedMysql(mysql.createPool, {}, NOWHERE);
    const cluster = new LimitedMysql(mysql.createPoolCluster);
    expect([pool.eventNames(), cluster.eventNames()]).toEqual([[], []]);
  });
});

describe('LimitedMysql twice', () => {
  test('gives the same handle', () => {
    const pool = new LimitedMysql(mysql.createPool, { maxConcurrentOps: 7 }, NOWHERE);
    const { limiter } = pool;
    const { getConnection } = pool;
    expect(new LimitedMysql(pool)).toBe(pool);
    expect(new LimitedMysql(pool, { maxConcurrentOps: 7 }).limiter).toBe(limiter);
    expect(new LimitedMysql(pool, { limiter }).getConnection).toBe(getConnection);
  });

  test('gives the same limiter to both sides of one pool, in either order', () => {
    const core = new LimitedMysql(mysql.createPool, { maxConcurrentOps: 7 }, NOWHERE);
    const promised = new LimitedMysql(core.promise());
    expect(promised).toBeInstanceOf(LimitedMysql);
    expect(promised.limiter).toBe(core.limiter);

    const other = new LimitedMysql(promises.createPool, { maxConcurrentOps: 7 }, NOWHERE);
    expect(new LimitedMysql(other.pool).limiter).toBe(other.limiter);
    expect(new LimitedMysql(other.pool.promise()).limiter).toBe(other.limiter);
  });

  test('a promise side made of it has its limiter, for nested() too', async () => {
    const clients = [
      new LimitedMysql(mysql.createPool, {}, NOWHERE),
      new LimitedMysql(connect()),
      limitDriver(mysql).createPool(NOWHERE) as LimitedMysql,
    ];
    for (const client of clients) {
      const side = client.promise();
      expect(side.limiter).toBe(client.limiter);
      expect(side).toBeInstanceOf(LimitedMysql);
      expect(Object.keys(side)).not.toContain('limiter');
      expect(nested(side, () => 7)).toBe(7);
    }
  });

  test('with another limiter or another limit is an error', () => {
    const pool = new LimitedMysql(mysql.createPool, { maxConcurrentOps: 7 }, NOWHERE);
    expect(() => new LimitedMysql(pool, { limiter: new Limiter() })).toThrow(
      'floodgate: limiter must be the same for a client that is wrapped already (by LimitedMysql), got an object (Limiter)',
    );
    expect(() => new LimitedMysql(pool.promise(), { maxConcurrentOps: 8 })).toThrow(
      "floodgate: maxConcurrentOps must be the same for a client that is wrapped already (by LimitedMysql), got 8 (number): its limiter is 'mysql2', with maxConcurrentOps 7",
    );
  });

  test('does not take the place of a limiter property that is there', () => {
    const pool = Object.assign(mysql.createPool(NOWHERE), { limiter: 1 });
    expect(() => new LimitedMysql(pool)).toThrow(
      "floodgate: LimitedMysql puts 'limiter' on the client, but it has a 'limiter' already",
    );
  });
});
