import pg from 'pg';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { limitedPool } from '../support/pool-under-test.js';
import { rows, sleeping, sqlError, type Work } from './work.js';

/*
 * Callbacks and listeners are where a client is given back. By then the outcome of its query must be known, or the
 * checkout counts as something else; and a statement that runs on must keep the permit.
 */

const { url } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
});
afterAll(() => operator[Symbol.asyncDispose]());

type ReleaseIn = (client: pg.PoolClient, work: Work, release: () => void) => void;

const places: readonly (readonly [place: string, releaseIn: ReleaseIn])[] = [
  ['the callback of a query', (client, { sql }, release) => client.query(sql, release)],
  [
    'the callback of a Query object',
    (client, { sql }, release) => void client.query(new pg.Query(sql, release as never)),
  ],
  [
    'the callback of a read from a Cursor',
    (client, { sql }, release) => client.query(new Cursor(sql)).read(10, release),
  ],
  [
    "a QueryStream's 'close'",
    (client, { sql }, release) => {
      const stream = client.query(new QueryStream(sql));
      stream.on('error', () => {});
      stream.once('close', release);
      stream.resume();
    },
  ],
];

const faults: readonly (readonly [fault: string, work: Work, config: pg.PoolConfig, outcome: string])[] = [
  ['that succeeded', rows, {}, 'succeeded'],
  ['that failed', sqlError, {}, 'failed'],
  ['past the statement_timeout', sleeping(30), { statement_timeout: 60 }, 'overloaded'],
  ['past the query_timeout', sleeping(0.6), { query_timeout: 100 }, 'overloaded'],
];

describe.each(places)('a client that is released in %s', (_, releaseIn) => {
  test.each(faults)('%s counts as what its query was', async (_, work, config, outcome) => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 }, config);
    const client = await under.pool.connect();
    await new Promise<void>((resolve) => {
      let released = false;
      releaseIn(client, work, () => {
        // After a query_timeout, a cursor calls back again when the server has ended the statement.
        if (!released) client.release();
        released = true;
        resolve();
      });
    });
    await vi.waitFor(() => expect(under.limiter.inFlight).toBe(0), { timeout: 5_000, interval: 5 });
    await operator.untilStopped(under.name);
    const none = { succeeded: 0, failed: 0, overloaded: 0, ignored: 0 };
    expect(under.limiter.stats()).toMatchObject({ ...none, admitted: 1, [outcome]: 1 });
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
  });
});

test('a COPY that is given back in its own error handler is cut off, and its second error does not come', async () => {
  const { to } = await import('pg-copy-streams');
  await using under = limitedPool(url, { maxConcurrentOps: 1 }, { query_timeout: 100 });
  const client = await under.pool.connect();
  const errors: string[] = [];
  client.query(to('copy (select pg_sleep(0.6)) to stdout')).on('error', (error) => {
    errors.push(error.message);
    if (errors.length === 1) client.release();
  });
  await vi.waitFor(() => expect(errors).toEqual(['Query read timeout']));
  await vi.waitFor(() => expect(under.limiter.inFlight).toBe(0), { timeout: 5_000, interval: 5 });
  await operator.untilStopped(under.name);
  expect((await under.pool.query('select 1')).rowCount).toBe(1);
  expect(errors).toEqual(['Query read timeout']);
});
