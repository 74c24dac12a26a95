import { drizzle } from 'drizzle-orm/mysql2';
import { Kysely, MysqlDialect } from 'kysely';
import mysql, {
  type FieldPacket,
  type PoolConnection,
  type QueryError,
  type ResultSetHeader,
  type RowDataPacket,
} from 'mysql2';
import promises from 'mysql2/promise';
import { describe, expectTypeOf, test } from 'vitest';
import { Limiter } from '../../core/limiter.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { type LimitedDriver, LimitedMysql, limitDriver, nested } from './index.js';

interface User extends RowDataPacket {
  id: number;
  name: string;
}

const pool = new LimitedMysql(
  mysql.createPool,
  { maxConcurrentOps: 500 },
  { uri: 'mysql://', connectionLimit: 20 },
);
const promised = new LimitedMysql(promises.createPool, { maxConcurrentOps: 500 }, 'mysql://');
const cluster = new LimitedMysql(mysql.createPoolCluster, {}, { canRetry: true });
const promisedCluster = new LimitedMysql(promises.createPoolCluster);

describe('construction gives what came in, with a limiter', () => {
  test('from a function of mysql2, with its own arguments', () => {
    expectTypeOf(pool).toEqualTypeOf<LimitedMysql>();
    expectTypeOf(pool).toExtend<mysql.Pool>();
    expectTypeOf(pool.limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(new LimitedMysql(mysql.createPool, {}, 'mysql://')).toExtend<mysql.Pool>();
    expectTypeOf(cluster).toEqualTypeOf<mysql.PoolCluster & LimiterHandle>();
    expectTypeOf(new LimitedMysql(mysql.createConnection, {}, { host: 'a' })).toEqualTypeOf<
      LimitedMysql<mysql.Connection>
    >();
    expectTypeOf(promised).toEqualTypeOf<promises.Pool & LimiterHandle>();
    expectTypeOf(promisedCluster).toEqualTypeOf<promises.PoolCluster & LimiterHandle>();
  });

  test('from createConnection of the promise module: a promise', () => {
    expectTypeOf(new LimitedMysql(promises.createConnection, {}, 'mysql://')).toEqualTypeOf<
      Promise<promises.Connection & LimiterHandle>
    >();
  });

  test('from what is there already', () => {
    expectTypeOf(new LimitedMysql(mysql.createPool('mysql://'))).toEqualTypeOf<LimitedMysql<mysql.Pool>>();
    expectTypeOf(
      new LimitedMysql(promises.createPool('mysql://'), { limiter: new Limiter() }),
    ).toExtend<promises.Pool>();
    expectTypeOf(new LimitedMysql(mysql.createPoolCluster())).toExtend<mysql.PoolCluster>();
    const annotated: LimitedMysql = pool;
    expectTypeOf(annotated.config.connectionLimit).toEqualTypeOf<number | undefined>();
  });
});

describe('the callback API keeps its generics', () => {
  test('rows carry their type', () => {
    expectTypeOf(
      pool.query<User[]>('select 1', (error, rows, fields) => {
        expectTypeOf(error).toEqualTypeOf<QueryError | null>();
        expectTypeOf(rows).toEqualTypeOf<User[]>();
        expectTypeOf(fields).toEqualTypeOf<FieldPacket[]>();
      }),
    ).toExtend<mysql.Query>();
    pool.query<ResultSetHeader>({ sql: 'insert', timeout: 5 }, [1], (_error, header) => {
      expectTypeOf(header.insertId).toEqualTypeOf<number>();
    });
    pool.execute<User[]>('select ?', [1], (_error, rows) => {
      expectTypeOf(rows[0]!.name).toEqualTypeOf<string>();
    });
    expectTypeOf(pool.query('select 1').stream().readable).toEqualTypeOf<boolean>();
  });

  test('getConnection, end and events are the pool’s', () => {
    pool.getConnection((error, connection) => {
      expectTypeOf(error).toEqualTypeOf<NodeJS.ErrnoException | null>();
      expectTypeOf(connection).toEqualTypeOf<PoolConnection>();
    });
    pool.on('connection', (connection: PoolConnection) => connection.release());
    expectTypeOf(pool.promise()).toEqualTypeOf<promises.Pool & LimiterHandle>();
    expectTypeOf(pool.promise().limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(
      new LimitedMysql(mysql.createConnection, {}, 'mysql://').promise(Promise).limiter,
    ).toEqualTypeOf<Limiter>();
    expectTypeOf(nested(pool.promise(), () => 1)).toEqualTypeOf<number>();
    cluster.getConnection('a*', 'ORDER', (_error, connection) => {
      expectTypeOf(connection).toEqualTypeOf<PoolConnection>();
    });
    cluster.of('a*').query<User[]>('select 1', (_error, rows) => {
      expectTypeOf(rows).toEqualTypeOf<User[]>();
    });
  });
});

describe('the promise API keeps its generics', () => {
  test('rows carry their type', () => {
    expectTypeOf(promised.query<User[]>('select 1')).toEqualTypeOf<Promise<[User[], FieldPacket[]]>>();
    expectTypeOf(promised.execute<ResultSetHeader>({ sql: 'insert' }, [1])).toEqualTypeOf<
      Promise<[ResultSetHeader, FieldPacket[]]>
    >();
    expectTypeOf(promised.getConnection()).toEqualTypeOf<Promise<promises.PoolConnection>>();
    expectTypeOf(promisedCluster.of('a').query<User[]>('select 1')).toEqualTypeOf<
      Promise<[User[], FieldPacket[]]>
    >();
    expectTypeOf(nested(promised, () => promised.query<User[]>('select 1'))).toEqualTypeOf<
      Promise<[User[], FieldPacket[]]>
    >();
  });

  test('libraries that take a pool take it', () => {
    expectTypeOf(drizzle(promised).select).toBeFunction();
    expectTypeOf(drizzle(pool).select).toBeFunction();
    expectTypeOf(
      new Kysely<{ user: User }>({ dialect: new MysqlDialect({ pool }) }).selectFrom,
    ).toBeFunction();
  });
});

describe('limitDriver', () => {
  const driver = limitDriver(mysql, { maxConcurrentOps: 5 });

  test('gives the module, with a limiter', () => {
    expectTypeOf(driver).toEqualTypeOf<LimitedDriver<typeof mysql>>();
    expectTypeOf(driver.limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(driver).toExtend<typeof mysql>();
    expectTypeOf(driver.format).toEqualTypeOf(mysql.format);
  });

  test('what the module makes has that limiter', () => {
    expectTypeOf(driver.createPool('mysql://')).toEqualTypeOf<LimitedMysql>();
    expectTypeOf(driver.createPool({ host: 'a' }).promise().limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(driver.createPoolCluster().limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(driver.createConnection({ host: 'a' })).toEqualTypeOf<LimitedMysql<mysql.Connection>>();
    const promising = limitDriver(promises);
    expectTypeOf(promising.createPool('mysql://').limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(promising.createConnection('mysql://')).toEqualTypeOf<
      Promise<LimitedMysql<promises.Connection>>
    >();
    // @ts-expect-error mysql2 has no such setting
    driver.createPool({ connectionLimits: 20 });
  });
});

test('mistakes do not compile', () => {
  new LimitedMysql(
    mysql.createPool,
    { bulkheads: { transaction: 5 }, adaptive: { sheddable: ['query'] } },
    {},
  );
  // @ts-expect-error no such class
  new LimitedMysql(mysql.createPool, { bulkheads: { transactions: 5 } }, {});
  // @ts-expect-error no such class
  new LimitedMysql(mysql.createPool, { adaptive: { sheddable: ['qurey'] } }, {});
  // @ts-expect-error no such class
  limitDriver(mysql, { bulkheads: { nested: 5 } });
  // @ts-expect-error an unknown option
  new LimitedMysql(mysql.createPool, { maxConcurentOps: 5 }, {});
  // @ts-expect-error a string is no number
  new LimitedMysql(mysql.createPool, { maxConcurrentOps: '500' }, {});
  // @ts-expect-error mysql2's configuration is the third argument
  new LimitedMysql(mysql.createPool, { connectionLimit: 20 });
  // @ts-expect-error a pool needs its configuration
  new LimitedMysql(mysql.createPool, {});
  // @ts-expect-error mysql2 has no such setting
  new LimitedMysql(mysql.createPool, {}, { connectionLimits: 20 });
  // @ts-expect-error a number is no address
  new LimitedMysql(promises.createPool, {}, 20);
  // @ts-expect-error a pool that exists takes no configuration
  new LimitedMysql(mysql.createPool('mysql://'), {}, { connectionLimit: 20 });
  // @ts-expect-error one of two words
  new LimitedMysql(mysql.createPool, { abandonedStatements: 'kill' }, {});
  // @ts-expect-error the limiter is read-only
  pool.limiter = new Limiter();
  // @ts-expect-error a date is no client
  new LimitedMysql(new Date());
  // @ts-expect-error rows have no such column type
  promised.query<User[]>('select 1').then(([rows]) => rows[0]!.name.toFixed());
  // @ts-expect-error a function that makes something else
  new LimitedMysql(() => 7);
});
