import { setTimeout as sleep } from 'node:timers/promises';
import type { Limiter } from 'floodgate';
import { LimitedMysql, type LimitedMysqlOptions } from 'floodgate/mysql2';
import mysql, { type Pool, type PoolConnection } from 'mysql2';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { barePool, internalsOf, limitedPool, poolConfig, uniqueName } from './support/client-under-test.js';
import { type Operator, openOperator } from './support/operator.js';
import { sharedMysql } from './support/shared-server.js';
import { recordUncaughtExceptions } from './support/uncaught-exceptions.js';
import { sleeping } from './work.js';

const url = await sharedMysql();
const database = uniqueName();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.createDatabase(database);
});
afterAll(() => operator[Symbol.asyncDispose]());

/** What a client's user gets to see, line by line. */
type Log = (...line: unknown[]) => void;

interface Scenario<T> {
  readonly name: string;
  readonly config?: mysql.PoolOptions;
  readonly options?: LimitedMysqlOptions;
  run(target: T, log: Log): unknown;
}

const answer = (log: Log, name: string) => (error: Error | null, result?: unknown) =>
  log(name, error?.message, result);
const checkOut = (pool: Pool) =>
  new Promise<PoolConnection>((resolve, reject) =>
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection))),
  );

/** What each form tells its callback. */
async function logArguments(connection: mysql.Connection, log: Log): Promise<void> {
  type Told = (...args: unknown[]) => void;
  const calls: Record<string, (told: Told) => unknown> = {
    ping: (told) => connection.ping(told),
    prepare: (told) => connection.prepare('select 1', (error, statement) => told(error, typeof statement)),
    query: (told) => connection.query('do 1', (...args) => told(args.length, args[0])),
    rows: (told) => connection.query('select 1', (...args) => told(args.length, args[0], args[1])),
    execute: (told) => connection.execute('select 1', (...args) => told(args.length, args[0], args[1])),
    beginTransaction: (told) => connection.beginTransaction((...args) => told(args.length, args[0])),
    reset: (told) => connection.reset(told),
    changeUser: (told) => connection.changeUser({}, told),
    failing: (told) => connection.query('no sql', (...args) => told(args.length, args[0]?.errno)),
  };
  for (const [name, call] of Object.entries(calls)) {
    await new Promise<void>((resolve) =>
      call((...args) => {
        log(name, args);
        resolve();
      }),
    );
  }
}

const onPools: readonly Scenario<Pool>[] = [
  ...(['query', 'execute'] as const).map((form) => ({
    name: `ended in the step in which it is asked (${form})`,
    async run(pool: Pool, log: Log) {
      await pool.promise().query('select 1');
      pool[form]('select 1', answer(log, form));
      pool.end(answer(log, 'end'));
    },
  })),
  {
    name: 'ended in the step in which it is asked (getConnection)',
    async run(pool, log) {
      await pool.promise().query('select 1');
      pool.getConnection((error, connection) => {
        log(error, internalsOf(pool)._closed);
        connection.release();
      });
      pool.end(answer(log, 'end'));
    },
  },
  {
    name: 'ended in the step in which it is asked (events)',
    async run(pool, log) {
      await pool.promise().query('select 1');
      pool.query('select 1').on('end', () => log('end of the query'));
      pool.end(answer(log, 'end'));
    },
  },
  {
    name: 'ended while the next in line is given a connection',
    async run(pool, log) {
      const [first, second] = [await checkOut(pool), await checkOut(pool)];
      pool.query('select 1', answer(log, 'query'));
      first.release();
      pool.end(answer(log, 'end'));
      second.release();
    },
  },
  {
    name: 'ended while it connects',
    run(pool, log) {
      pool.query('select 1', answer(log, 'query'));
      pool.end(answer(log, 'end'));
    },
  },
  {
    name: 'ended twice, and disposed of',
    async run(pool, log) {
      await pool.promise().query('select 1');
      pool.end(answer(log, 'first'));
      pool.end(answer(log, 'second'));
      pool[Symbol.dispose]();
      await (pool.promise() as unknown as AsyncDisposable)[Symbol.asyncDispose]();
    },
  },
  ...['acquire', 'connection'].map((event) => ({
    name: `whose connection is destroyed at '${event}'`,
    async run(pool: Pool, log: Log) {
      pool.once(event as 'acquire', (connection) => connection.destroy());
      pool.query('select 1', answer(log, 'query'));
      await sleep(50);
      log(internalsOf(pool)._allConnections.length);
    },
  })),
  {
    name: 'that is set up in its connection event',
    async run(pool, log) {
      pool.on('connection', (connection) => connection.query('set @a = 1'));
      pool.query('select @a', answer(log, 'query'));
      await sleep(50);
    },
  },
  {
    name: 'whose held connection ends gracefully, with a query under way',
    config: { gracefulEnd: true },
    options: { abandonedStatements: 'cancel' },
    async run(pool, log) {
      const connection = await checkOut(pool);
      connection.query(sleeping(0.05), answer(log, 'query'));
      connection.end();
      await sleep(150);
      log(internalsOf(pool)._allConnections.length);
    },
  },
  {
    name: 'whose held connection is released by its deprecated end()',
    async run(pool, log) {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
      const connection = await checkOut(pool);
      connection.on('warn', () => log('warn'));
      connection.end();
      log(warn.mock.calls.length, internalsOf(pool)._freeConnections.length);
      warn.mockRestore();
    },
  },
  {
    name: 'whose held connection hears of its end',
    async run(pool, log) {
      const connection = (await checkOut(pool)) as PoolConnection & { stream: { emit(event: string): void } };
      connection.stream.emit('end');
      log(internalsOf(pool)._allConnections.length);
      connection.destroy();
    },
  },
  {
    name: 'whose connections are reset on release',
    config: { resetOnRelease: true, connectionLimit: 1 },
    async run(pool, log) {
      const connection = await checkOut(pool);
      await connection.promise().query('set @a = 1');
      pool.query('select @a', answer(log, 'in line'));
      connection.release();
      await sleep(50);
      log(internalsOf(pool)._freeConnections.length);
    },
  },
  {
    name: 'whose reset on release fails',
    config: { resetOnRelease: true, connectionLimit: 1 },
    async run(pool, log) {
      const connection = await checkOut(pool);
      connection.reset = (callback) => void process.nextTick(() => callback?.(new Error('no') as never));
      connection.release();
      await sleep(20);
      log((await pool.promise().query('select 1'))[0], internalsOf(pool)._allConnections.length);
    },
  },
  {
    name: 'whose events come in order',
    config: { connectionLimit: 1 },
    async run(pool, log) {
      for (const event of ['acquire', 'connection', 'enqueue', 'release']) {
        pool.on(event as 'acquire', () => log(event));
      }
      await Promise.all([1, 2, 3, 4].map(() => pool.promise().query('select 1')));
      await sleep(20);
    },
  },
  {
    name: 'whose stream fails in the middle',
    async run(pool, log) {
      const stream = pool.query('select 1 as n union all select (select n from numbers)').stream();
      for (const event of ['data', 'end', 'close']) stream.on(event, (row) => log(event, row));
      stream.on('error', (error) => log('error', error.message));
      await sleep(50);
    },
  },
  {
    name: 'that is asked what it cannot do',
    async run(pool, log) {
      const thrower = {
        toSqlString() {
          throw new Error('no text');
        },
      };
      const typeCast = () => {
        throw new Error('no type');
      };
      const calls: ((callback: ReturnType<typeof answer>) => unknown)[] = [
        (callback) => pool.query('select ?', [thrower], callback),
        (callback) => pool.execute('select ?', [undefined] as never, callback),
        (callback) => pool.query({ sql: 'select 1', typeCast }, callback),
        (callback) => pool.query("load data local infile 'x' into table numbers", callback),
      ];
      for (const call of calls) {
        call(answer(log, 'call'));
        await sleep(20);
      }
      log(internalsOf(pool)._allConnections.length - internalsOf(pool)._freeConnections.length);
    },
  },
  {
    name: 'whose held connection answers each form with as many arguments',
    run: async (pool, log) => {
      const connection = await checkOut(pool);
      await logArguments(connection, log);
      connection.release();
    },
  },
  {
    name: 'whose held connection changes its user, and fails to',
    async run(pool, log) {
      const connection = await checkOut(pool);
      connection.on('error', () => {});
      await connection
        .promise()
        .changeUser({ user: 'nobody' })
        .catch((error) => log(error.errno, error.fatal));
      connection.release();
      await sleep(20);
      log((await pool.promise().query('select 1'))[0]);
    },
  },
  {
    name: 'whose held connection has a statement that outlives its release',
    async run(pool, log) {
      const connection = await pool.promise().getConnection();
      const statement = await connection.prepare('select ? as a');
      connection.release();
      log((await statement.execute([1]))[0]);
      await statement.close();
    },
  },
];

describe.each(onPools.map((scenario) => [scenario.name, scenario] as const))('a pool %s', (_, scenario) => {
  test('is as without a limiter, and keeps no permit', async () => {
    const logs = [];
    const { config, options, run } = scenario;
    for (const limited of [false, true]) {
      const log: unknown[] = [];
      await using subject = limited
        ? limitedPool(url, database, { maxConcurrentOps: 20, ...options }, config)
        : barePool(url, database, config);
      await run(subject.pool, (...line) => log.push(line));
      await sleep(30);
      logs.push(log);
      const { limiter } = subject.pool as { limiter?: Limiter };
      if (limiter === undefined) continue;
      await expect.poll(() => limiter.inFlight).toBe(0);
      const { running, doubleReleases, admitted, succeeded, failed, overloaded, ignored } = limiter.stats();
      expect([running, doubleReleases]).toEqual([0, 0]);
      expect(admitted).toBe(succeeded + failed + overloaded + ignored);
    }
    expect(logs[1]).toEqual(logs[0]);
    expect(logs[0]).not.toEqual([]);
  });
});

test('a standalone connection answers each form with as many arguments as without a limiter', async () => {
  const logs = [];
  for (const limited of [false, true]) {
    const log: unknown[] = [];
    const config = poolConfig(url, database, {});
    const connection = limited
      ? new LimitedMysql(mysql.createConnection, { maxConcurrentOps: 5 }, config)
      : mysql.createConnection(config);
    await logArguments(connection, (...line) => log.push(line));
    connection.destroy();
    logs.push(log);
  }
  expect(logs[1]).toEqual(logs[0]);
  expect(logs[0]).toContainEqual(['ping', []]);
});

describe('a callback that throws', () => {
  const connect = {
    pool: (limited: boolean) =>
      limited ? limitedPool(url, database, { maxConcurrentOps: 5 }).pool : barePool(url, database).pool,
    connection: (limited: boolean) => {
      const config = poolConfig(url, database, {});
      return limited
        ? new LimitedMysql(mysql.createConnection, { maxConcurrentOps: 5 }, config)
        : mysql.createConnection(config);
    },
  };

  test.each(
    Object.entries(connect).flatMap(([name, open]) =>
      (['query', 'execute'] as const).map((call) => [name, call, open] as const),
    ),
  )(
    'on a %s, of %s, at an error and at a result, is uncaught, as ever; it costs no connection and no permit',
    async (_name, call, open) => {
      using uncaught = recordUncaughtExceptions();
      for (const limited of [false, true]) {
        const client = open(limited);
        for (const sql of ['no sql', 'select 1']) {
          const before = uncaught.messages.length;
          client[call](sql, () => {
            throw new Error(`thrown at ${sql}`);
          });
          await expect.poll(() => uncaught.messages.length).toBe(before + 1);
          if (!limited) break;
        }
        if (limited) {
          expect((await client.promise().query('select 1 as n'))[0]).toEqual([{ n: 1 }]);
          const { limiter } = client as LimitedMysql;
          await expect.poll(() => limiter.inFlight).toBe(0);
        }
        client.end(() => {});
      }
      expect(uncaught.messages).toEqual(['thrown at no sql', 'thrown at no sql', 'thrown at select 1']);
    },
  );

  test('when a connection could not be opened and nobody listens costs no permit', async () => {
    using uncaught = recordUncaughtExceptions();
    const { limiter } = new LimitedMysql(
      mysql.createConnection,
      { maxConcurrentOps: 1 },
      { host: '127.0.0.1', port: 1 },
    );
    await expect.poll(() => limiter.inFlight).toBe(0);
    expect(uncaught.messages[0]).toContain('ECONNREFUSED');
    expect(limiter.stats()).toMatchObject({ overloaded: 1, running: 0 });
  });
});

test('a reset on release has the permit of its checkout until it is done', async () => {
  await using limited = limitedPool(
    url,
    database,
    { maxConcurrentOps: 5 },
    { resetOnRelease: true, connectionLimit: 1 },
  );
  const { pool, limiter } = limited;
  const connection = await checkOut(pool);
  const next = pool.promise().query('select 1');
  connection.release();
  expect(limiter.inFlight).toBe(2);
  await next;
  await expect.poll(() => limiter.inFlight).toBe(0);
  expect(limiter.stats()).toMatchObject({ succeeded: 2, doubleReleases: 0 });
});

describe('of a pool’s query that has no callback, and nobody listens to,', () => {
  const config = { connectionLimit: 1, waitForConnections: false };

  test('an error of its SQL is heard by nobody, and one in getting a connection is uncaught, as without a limiter', async () => {
    const logs: string[][] = [];
    for (const limited of [false, true]) {
      using uncaught = recordUncaughtExceptions();
      await using subject = limited
        ? limitedPool(url, database, { maxConcurrentOps: 5 }, config)
        : barePool(url, database, config);
      subject.pool.query('select nothing');
      await expect.poll(() => internalsOf(subject.pool)._freeConnections.length).toBe(1);
      subject.pool.query('select 1');
      subject.pool.query('select 1');
      await expect.poll(() => uncaught.messages).not.toEqual([]);
      await expect.poll(() => internalsOf(subject.pool)._freeConnections.length).toBe(1);
      logs.push(uncaught.messages);
    }
    expect(logs).toEqual([['No connections available.'], ['No connections available.']]);
  });

  test('a rejection is uncaught, as the pool’s own "no connections available" is', async () => {
    using uncaught = recordUncaughtExceptions();
    await using limited = limitedPool(url, database, { maxConcurrentOps: 1 });
    limited.pool.query('select 1');
    limited.pool.query('select 1');
    expect(uncaught.messages).toEqual([]);
    await expect.poll(() => uncaught.messages).toHaveLength(1);
    expect(uncaught.messages[0]).toContain('mysql2: query rejected, every permit is taken');
    limited.pool.query('select 1').on('error', () => {});
    await expect.poll(() => limited.limiter.inFlight).toBe(0);
    expect(uncaught.messages).toHaveLength(1);
  });
});
