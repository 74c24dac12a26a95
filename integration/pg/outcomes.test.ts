import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { type LimitedPoolUnderTest, limitedPool } from '../support/pool-under-test.js';
import { startPostgres } from '../support/servers/postgres/start-postgres.js';

/* The errors that a healthy server can be brought to give, and what each says of it. */

const { url, version } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.execute(`
    drop table if exists floodgate_accounts;
    create table floodgate_accounts (id int primary key, balance int);
    insert into floodgate_accounts values (1, 10), (2, 20)`);
});
afterAll(() => operator[Symbol.asyncDispose]());

interface Case {
  readonly error: { readonly code?: string; readonly message?: RegExp };
  readonly outcome: keyof typeof COUNTS;
  readonly config?: pg.PoolConfig;
  /** Rejects with the error. */
  readonly provoke: (under: LimitedPoolUnderTest) => Promise<unknown>;
}

const query =
  (sql: string, values?: unknown[]): Case['provoke'] =>
  ({ pool }) =>
    pool.query(sql, values);

/** One client after the other says something; the first error is the one. */
const talk =
  (...says: readonly (readonly [client: number, sql: string])[]): Case['provoke'] =>
  async ({ pool }) => {
    const clients = [await pool.connect(), await pool.connect()];
    try {
      let last: Promise<unknown> = Promise.resolve();
      for (const [client, sql] of says) {
        // What waits for a lock goes on waiting while the other one speaks.
        const answer = clients[client]!.query(sql);
        last = Promise.all([last, answer]);
        last.catch(() => {});
        await Promise.race([answer, operator.column('select pg_sleep(0.03)')]);
      }
      await last;
    } finally {
      for (const client of clients) client.release(true);
    }
  };

const cases: Readonly<Record<string, Case>> = {
  'a statement past the statement_timeout': {
    error: { code: '57014', message: /statement timeout/ },
    outcome: 'overload',
    config: { statement_timeout: 50 },
    provoke: query('select pg_sleep(30)'),
  },
  'a statement that its caller cancelled': {
    error: { code: '57014', message: /user request/ },
    outcome: 'ignored',
    provoke: async ({ pool, name }) => {
      const answer = pool.query('select pg_sleep(30)');
      answer.catch(() => {});
      await operator.untilAt(name, 'PgSleep');
      await operator.cancel(name);
      await answer;
    },
  },
  'a lock not got within the lock_timeout': {
    error: { code: '55P03', message: /lock timeout/ },
    outcome: 'overload',
    config: { lock_timeout: 50 },
    provoke: talk(
      [0, 'begin'],
      [0, 'select from floodgate_accounts for update'],
      [1, 'select from floodgate_accounts for update'],
    ),
  },
  'a lock asked for with NOWAIT': {
    error: { code: '55P03', message: /could not obtain lock/ },
    outcome: 'failed',
    provoke: talk(
      [0, 'begin'],
      [0, 'select from floodgate_accounts for update'],
      [1, 'select from floodgate_accounts for update nowait'],
    ),
  },
  'a deadlock': {
    error: { code: '40P01' },
    outcome: 'failed',
    config: { options: '-c deadlock_timeout=50ms' },
    provoke: talk(
      [0, 'begin'],
      [1, 'begin'],
      [0, 'update floodgate_accounts set balance = 1 where id = 1'],
      [1, 'update floodgate_accounts set balance = 2 where id = 2'],
      [0, 'update floodgate_accounts set balance = 1 where id = 2'],
      [1, 'update floodgate_accounts set balance = 2 where id = 1'],
    ),
  },
  'a serialization failure': {
    error: { code: '40001' },
    outcome: 'failed',
    provoke: talk(
      [0, 'begin isolation level repeatable read'],
      [0, 'select from floodgate_accounts'],
      [1, 'update floodgate_accounts set balance = balance + 1 where id = 1'],
      [0, 'update floodgate_accounts set balance = balance + 1 where id = 1'],
    ),
  },
  'a query in a transaction that has failed': {
    error: { code: '25P02' },
    outcome: 'failed',
    provoke: async ({ pool }) => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        await client.query('select 1 / 0').catch(() => {});
        await client.query('select 1');
      } finally {
        await client.query('rollback');
        client.release();
      }
    },
  },
  'a key that is taken': {
    error: { code: '23505' },
    outcome: 'failed',
    provoke: query('insert into floodgate_accounts values (1, 0)'),
  },
  'a syntax error': { error: { code: '42601' }, outcome: 'failed', provoke: query('selec 1') },
  'a division by zero': { error: { code: '22012' }, outcome: 'failed', provoke: query('select 1 / 0') },
  'a wrong number of parameters': {
    error: { code: '08P01' },
    outcome: 'failed',
    provoke: query('select $1::int', [1, 2]),
  },
  'a database that is not there': {
    error: { code: '3D000' },
    outcome: 'failed',
    config: { connectionString: url.replace(/[^/]*$/, 'no_such_database') },
    provoke: query('select 1'),
  },
  'a wrong password': {
    error: { code: '28P01' },
    outcome: 'failed',
    config: { connectionString: url.replace(/(\/\/[^:]*):[^@]*@/, '$1:wrong@') },
    provoke: query('select 1'),
  },
  'a backend that was terminated': {
    error: { code: '57P01' },
    outcome: 'overload',
    provoke: async ({ pool, name }) => {
      const answer = pool.query('select pg_sleep(30)');
      answer.catch(() => {});
      await operator.untilAt(name, 'PgSleep');
      await operator.terminate(name);
      await answer;
    },
  },
  'a query past the query_timeout': {
    error: { message: /^Query read timeout$/ },
    outcome: 'overload',
    config: { query_timeout: 50 },
    provoke: query('select pg_sleep(0.2)'),
  },
  'a query on a connection that was lost': {
    error: { message: /^Client has encountered a connection error and is not queryable$/ },
    outcome: 'overload',
    provoke: async ({ pool, name }) => {
      const client = await pool.connect();
      try {
        const lost = new Promise((resolve) => client.on('error', resolve));
        await operator.terminate(name);
        await lost;
        await client.query('select 1');
      } finally {
        client.release();
      }
    },
  },
  'a Cursor on a pipelined pool': {
    error: { message: /not supported in pipeline mode/ },
    outcome: 'failed',
    config: { pipeline: true },
    provoke: async ({ pool }) => {
      const { default: Cursor } = await import('pg-cursor');
      await pool.query(new Cursor('select 1')).read(1);
    },
  },
};

const COUNTS = {
  failed: { failed: 1, overloaded: 0, ignored: 0 },
  overload: { failed: 0, overloaded: 1, ignored: 0 },
  ignored: { failed: 0, overloaded: 0, ignored: 1 },
} as const;

async function expectOutcome(under: LimitedPoolUnderTest, { error, outcome, provoke }: Case): Promise<void> {
  const seen: Error & { code?: string } = await provoke(under).then(
    () => new Error('no error'),
    (rejection) => rejection,
  );
  if (error.code !== undefined) expect(seen.code).toBe(error.code);
  if (error.message !== undefined) expect(seen.message).toMatch(error.message);
  await vi.waitFor(() => expect(under.limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }), 5_000);
  expect(under.limiter.stats()).toMatchObject(COUNTS[outcome]);
}

describe('counted as what it says of the server:', () => {
  test.each(Object.entries(cases))('%s', async (_, each) => {
    await using under = limitedPool(url, {}, each.config);
    await expectOutcome(under, each);
  });

  test('a transaction past the transaction_timeout, which PostgreSQL knows since 17', async () => {
    const known = Number.parseInt(version, 10) >= 17;
    await using server = known ? undefined : await startPostgres({ dedicated: true, way: 'embedded' });
    await using under = limitedPool(server?.url ?? url, {}, { options: '-c transaction_timeout=60' });
    await expectOutcome(under, {
      error: { code: '25P04' },
      outcome: 'overload',
      provoke: query('select pg_sleep(30)'),
    });
  });
});
