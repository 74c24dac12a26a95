import { drizzle } from 'drizzle-orm/node-postgres';
import pg, { type PoolClient, type QueryArrayResult, type QueryResult } from 'pg';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { describe, expectTypeOf, test } from 'vitest';
import { Limiter } from '../../core/limiter.js';
import { LimitedClient, LimitedPool, limitClientClass, nested } from './index.js';

interface User {
  id: number;
  name: string;
}

const pool = new LimitedPool(
  pg.Pool,
  { maxConcurrentOps: 500 },
  { connectionString: 'postgres://', max: 20 },
);

describe('LimitedPool keeps every overload of pg.Pool', () => {
  test('construction gives the pool that came in, with a limiter', () => {
    expectTypeOf(pool).toEqualTypeOf<LimitedPool<pg.Pool>>();
    expectTypeOf(pool).toExtend<pg.Pool>();
    expectTypeOf(pool.limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(new LimitedPool(new pg.Pool())).toExtend<pg.Pool>();
    expectTypeOf(new LimitedPool(pg.Pool)).toExtend<pg.Pool>();
    class Tenants extends pg.Pool {
      readonly tenant: string;
      constructor(tenant: string, config: pg.PoolConfig) {
        super(config);
        this.tenant = tenant;
      }
    }
    expectTypeOf(new LimitedPool(Tenants, {}, 'acme', { max: 3 }).tenant).toEqualTypeOf<string>();
    expectTypeOf(new LimitedPool(pg.Pool, { limiter: new Limiter() })).toExtend<pg.Pool>();
    const annotated: LimitedPool = pool;
    expectTypeOf(annotated.totalCount).toEqualTypeOf<number>();
  });

  test('rows carry their type in each promise form', () => {
    expectTypeOf(pool.query<User>('select 1')).toEqualTypeOf<Promise<QueryResult<User>>>();
    expectTypeOf(pool.query<User>('select $1', [1])).toEqualTypeOf<Promise<QueryResult<User>>>();
    expectTypeOf(pool.query<User>({ text: 'select 1', name: 'users' })).toEqualTypeOf<
      Promise<QueryResult<User>>
    >();
    expectTypeOf(pool.query<[number, string]>({ text: 'select 1', rowMode: 'array' })).toEqualTypeOf<
      Promise<QueryArrayResult<[number, string]>>
    >();
  });

  test('callbacks see the same types, and the call returns nothing', () => {
    expectTypeOf(
      pool.query<User>('select 1', (_error, result) => {
        expectTypeOf(result.rows).toEqualTypeOf<User[]>();
      }),
    ).toEqualTypeOf<void>();
    expectTypeOf(
      pool.query<User>('select $1', [1], (_error, result) => {
        expectTypeOf(result).toEqualTypeOf<QueryResult<User>>();
      }),
    ).toEqualTypeOf<void>();
    expectTypeOf(
      pool.query<[number]>({ text: 'select 1', rowMode: 'array' }, (_error, result) => {
        expectTypeOf(result.rows).toEqualTypeOf<[number][]>();
      }),
    ).toEqualTypeOf<void>();
  });

  test('a Submittable comes back as what it is', () => {
    expectTypeOf(pool.query(new Cursor<User>('select 1'))).toEqualTypeOf<Cursor<User>>();
    expectTypeOf(pool.query(new QueryStream('select 1'))).toEqualTypeOf<QueryStream>();
    expectTypeOf(pool.query(new pg.Query<User>('select 1'))).toExtend<{ submit: unknown }>();
  });

  test('connect, end and events are the pool’s', () => {
    expectTypeOf(pool.connect()).toEqualTypeOf<Promise<PoolClient>>();
    expectTypeOf(
      pool.connect((_error, client, done) => {
        expectTypeOf(client).toEqualTypeOf<PoolClient | undefined>();
        done();
      }),
    ).toEqualTypeOf<void>();
    expectTypeOf(pool.end()).toEqualTypeOf<Promise<void>>();
    expectTypeOf(pool.end(() => {})).toEqualTypeOf<void>();
    expectTypeOf(pool.on('error', (_error, _client) => {})).toExtend<pg.Pool>();
  });

  test('a library that takes a pg.Pool takes it', () => {
    expectTypeOf(drizzle(pool).select).toBeFunction();
    expectTypeOf(nested(pool, () => pool.query<User>('select 1'))).toEqualTypeOf<
      Promise<QueryResult<User>>
    >();
  });

  test('mistakes do not compile', () => {
    new LimitedPool(pg.Pool, { bulkheads: { transaction: 5 }, adaptive: { sheddable: ['query'] } });
    // @ts-expect-error no such class
    new LimitedPool(pg.Pool, { bulkheads: { connection: 5 } });
    // @ts-expect-error no such class
    new LimitedPool(pg.Pool, { adaptive: { sheddable: ['qurey'] } });
    // @ts-expect-error an unknown option
    new LimitedPool(pg.Pool, { maxConcurentOps: 5 });
    // @ts-expect-error a string is no number
    new LimitedPool(pg.Pool, { maxConcurrentOps: '500' });
    // @ts-expect-error pg's configuration is the third argument
    new LimitedPool(pg.Pool, { max: 20 });
    // @ts-expect-error pg has no such setting
    new LimitedPool(pg.Pool, {}, { maximum: 20 });
    // @ts-expect-error a client is no pool
    new LimitedPool(pg.Client);
    // @ts-expect-error a pool that exists takes no configuration
    new LimitedPool(new pg.Pool(), {}, { max: 20 });
    // @ts-expect-error the limiter is read-only
    pool.limiter = new Limiter();
    // @ts-expect-error one of two words
    new LimitedPool(pg.Pool, { abandonedStatements: 'kill' });
    // @ts-expect-error rows of objects have no array type
    const rows: Promise<QueryArrayResult<[number]>> = pool.query<User>('select 1');
    void rows;
    // @ts-expect-error the type of a row is known
    pool.query<User>('select 1').then((result) => result.rows[0]?.email);
  });
});

describe('LimitedClient keeps every overload of pg.Client', () => {
  test('construction, queries and the class form', () => {
    const client = new LimitedClient(pg.Client, { maxConcurrentOps: 5 }, { connectionString: 'postgres://' });
    expectTypeOf(client).toEqualTypeOf<LimitedClient<pg.Client>>();
    expectTypeOf(client.query<User>('select 1')).toEqualTypeOf<Promise<QueryResult<User>>>();
    expectTypeOf(client.query(new Cursor<User>('select 1'))).toEqualTypeOf<Cursor<User>>();
    const Limited = limitClientClass(pg.Client, { maxConcurrentOps: 5 });
    expectTypeOf(Limited.limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(new Limited('postgres://')).toEqualTypeOf<LimitedClient<pg.Client>>();
    // @ts-expect-error a pool is no client
    new LimitedClient(pg.Pool);
    // @ts-expect-error maxCheckoutMs is a pool's
    new LimitedClient(pg.Client, { maxCheckoutMs: 5 });
    // @ts-expect-error a number is no configuration
    new Limited(5);
  });
});
