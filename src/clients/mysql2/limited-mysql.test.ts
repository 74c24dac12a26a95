import mysql from 'mysql2';
import promises from 'mysql2/promise';
import { afterEach, describe, expect, test } from 'vitest';
import { Limiter } from '../../core/limiter.js';
import { LimitedMysql, limitDriver } from './index.js';

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

  test('with another limiter or another limit is an error', () => {
    const pool = new LimitedMysql(mysql.createPool, { maxConcurrentOps: 7 }, NOWHERE);
    expect(() => new LimitedMysql(pool, { limiter: new Limiter() })).toThrow(
      'floodgate: limiter must be the same for a client that is wrapped already (by LimitedMysql), got an object (Limiter)',
    );
    expect(() => new LimitedMysql(pool.promise(), { maxConcurrentOps: 8 })).toThrow(
      'floodgate: maxConcurrentOps must be the same for a client that is wrapped already (by LimitedMysql), got 8 (number)',
    );
  });

  test('does not take the place of a limiter property that is there', () => {
    const pool = Object.assign(mysql.createPool(NOWHERE), { limiter: 1 });
    expect(() => new LimitedMysql(pool)).toThrow(
      "floodgate: LimitedMysql puts 'limiter' on the client, but it has a 'limiter' already",
    );
  });
});

describe('LimitedMysql refuses', () => {
  const RULE =
    'a pool, a pool cluster or a standalone connection of mysql2 or mysql2/promise, or a function that makes one (for a connection of a pool, limit the pool)';

  test.each([
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a string', 'mysql://', "'mysql://' (string)"],
    ['an object', {}, 'an object (Object)'],
    ['something that has a pool', { pool: mysql.createPool(NOWHERE) }, 'an object (Object)'],
    ['a class', Pool, 'function Pool'],
  ])('%s', (_, value, shown) => {
    expect(() => new LimitedMysql(value as never)).toThrow(
      new TypeError(`floodgate: the client must be ${RULE}, got ${shown}`),
    );
  });

  test('a function that makes something else', () => {
    expect(() => new LimitedMysql((() => 7) as never)).toThrow(
      new TypeError(`floodgate: what the function makes must be ${RULE}, got 7 (number)`),
    );
  });

  test('an option of its own among those of mysql2', () => {
    const config = { ...NOWHERE, maxCheckoutMs: 5 };
    expect(() => new LimitedMysql(mysql.createPool, {}, config as never)).toThrow(
      "floodgate: maxCheckoutMs is an option of LimitedMysql: it goes into the second argument, not into the client's own configuration",
    );
  });

  test('a configuration for a client that exists', () => {
    const pool = mysql.createPool(NOWHERE);
    expect(
      () => new (LimitedMysql as unknown as new (...args: unknown[]) => unknown)(pool, {}, NOWHERE),
    ).toThrow(
      "floodgate: the client's configuration must be absent for a client that exists, got an object (Object)",
    );
  });

  test.each([
    [{ max: 5 }, TypeError, "unknown LimitedMysql option 'max'"],
    [{ connectionLimit: 5 }, TypeError, "mysql2's own configuration is the third argument"],
    [{ abandonedStatements: 'kill' }, RangeError, "abandonedStatements must be one of 'wait', 'cancel'"],
    [{ abandonedTimeoutMs: -1 }, RangeError, 'abandonedTimeoutMs must be'],
    [{ maxCheckoutMs: 0 }, RangeError, 'maxCheckoutMs must be'],
    [{ maxConcurrentOps: 0 }, RangeError, 'maxConcurrentOps must be an integer >= 1'],
    [
      { bulkheads: { nested: 1 } },
      TypeError,
      "unknown class in bulkheads 'nested' (known: query, transaction, stream, connection)",
    ],
    [{ limiter: {} }, TypeError, 'limiter must be a floodgate Limiter'],
    [{ limiter: new Limiter(), maxConcurrentOps: 5 }, TypeError, "absent beside 'limiter'"],
    [7, TypeError, 'LimitedMysql options must be an object'],
  ])('the options %j', (options, Class, message) => {
    let made = 0;
    const create = () => {
      made++;
      return mysql.createPool(NOWHERE);
    };
    expect(() => new LimitedMysql(create, options as never)).toThrow(Class);
    expect(() => new LimitedMysql(create, options as never)).toThrow(message);
    expect(made).toBe(0);
  });
});

describe('limitDriver', () => {
  test('limits what the module makes, all by one limiter, and keeps the rest', () => {
    const driver = limitDriver(mysql, { maxConcurrentOps: 7 });
    const pool = driver.createPool(NOWHERE);
    const connection = driver.createConnection(NOWHERE);
    connection.on('error', () => {});
    connections.push(connection);
    expect(
      [pool, connection, driver.createPoolCluster()].map((client) => client instanceof LimitedMysql),
    ).toEqual([true, true, true]);
    expect((pool as LimitedMysql).limiter).toBe(driver.limiter);
    expect(driver.limiter.limit).toBe(7);
    expect(driver.createPool).toBe(driver.createPool);
    expect([driver.createPool.name, driver.createPool.length]).toEqual([
      mysql.createPool.name,
      mysql.createPool.length,
    ]);
    expect(driver.format).toBe(mysql.format);
    expect('Pool' in driver && driver.Pool).toBe(Pool);
    expect(mysql.createPool(NOWHERE)).not.toBeInstanceOf(LimitedMysql);
  });

  test('works for the promise module', async () => {
    const driver = limitDriver(promises);
    expect(driver.createPool(NOWHERE)).toBeInstanceOf(LimitedMysql);
    await expect(driver.createConnection(NOWHERE)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('refuses what is no such module, and options that are no good', () => {
    expect(() => limitDriver({})).toThrow(
      'floodgate: the driver must be the module mysql2 or mysql2/promise, got an object (Object)',
    );
    expect(() => limitDriver(mysql, { max: 5 } as never)).toThrow("unknown limitDriver option 'max'");
  });
});
