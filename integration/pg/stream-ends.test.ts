import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LimitedPool } from 'floodgate/pg';
import copy from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { type LimitedPoolUnderTest, limitedPool } from '../support/pool-under-test.js';
import { manyRows, prepareTables } from './work.js';

/* pool.query(stream): the client is given back by no one but the wrapper, however the stream ends. */

const { url } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await prepareTables(operator);
});
afterAll(() => operator[Symbol.asyncDispose]());

const COPY_OUT = `copy (${manyRows.sql}) to stdout`;

/** Sends it on its way and returns what its user does to be rid of it. */
type Start = (pool: LimitedPool) => () => unknown;

function ignoringErrors<S extends Readable | Writable>(stream: S): S {
  stream.on('error', () => {});
  return stream;
}

const starts: readonly (readonly [name: string, start: Start])[] = [
  [
    'a QueryStream that is destroyed',
    (pool) => {
      const stream = ignoringErrors(pool.query(new QueryStream(manyRows.sql)));
      return () => stream.destroy();
    },
  ],
  [
    'a QueryStream that is destroyed with an error',
    (pool) => {
      const stream = ignoringErrors(pool.query(new QueryStream(manyRows.sql)));
      return () => stream.destroy(new Error('enough'));
    },
  ],
  [
    'a Cursor that is closed',
    (pool) => {
      const cursor = pool.query(new Cursor(manyRows.sql));
      return () => cursor.close();
    },
  ],
  [
    'a COPY TO that is destroyed',
    (pool) => {
      const stream = ignoringErrors(pool.query(copy.to(COPY_OUT)));
      return () => stream.destroy();
    },
  ],
  [
    'a COPY FROM that is destroyed',
    (pool) => {
      const stream = ignoringErrors(pool.query(copy.from('copy floodgate_numbers from stdin')));
      stream.write('1\n');
      return () => stream.destroy();
    },
  ],
];

const moments: readonly (readonly [moment: string, until: (under: LimitedPoolUnderTest) => Promise<void>])[] =
  [
    ['at once', async () => {}],
    [
      'as soon as it has a connection',
      ({ pool }) => vi.waitFor(() => expect(pool.totalCount - pool.waitingCount).toBe(1), { interval: 1 }),
    ],
    ['while the server works for it', ({ name }) => operator.untilAt(name, 'ClientRead', 'ClientWrite')],
  ];

async function expectPermitBack({ limiter, pool, name }: LimitedPoolUnderTest): Promise<void> {
  await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }), 5_000);
  const { overloaded, failed, doubleReleases } = limiter.stats();
  expect([overloaded, failed, doubleReleases]).toEqual([0, 0, 0]);
  await operator.untilStopped(name);
  expect((await pool.query('select 1')).rowCount).toBe(1);
  expect(pool.totalCount - pool.idleCount).toBe(0);
}

describe.each(starts)('%s', (_, start) => {
  test.each(moments)('%s gives its permit back', async (_moment, until) => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
    const leave = start(under.pool);
    await until(under);
    leave();
    await expectPermitBack(under);
  });

  test('while it waits for a connection gives its permit back', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 2 }, { max: 1 });
    const client = await under.pool.connect();
    const leave = start(under.pool);
    expect(under.pool.waitingCount).toBe(1);
    leave();
    client.release();
    await expectPermitBack(under);
  });
});

test('a stream that nobody reads keeps its permit, as it keeps its client, until somebody does', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
  const stream = under.pool.query(new QueryStream('select n from generate_series(1, 1000) as n'));
  await once(stream, 'readable');
  expect(under.limiter.inFlight).toBe(1);
  await expect(under.pool.query('select 1')).rejects.toMatchObject({ reason: 'limit' });
  let rows = 0;
  for await (const _ of stream) rows++;
  expect(rows).toBe(1_000);
  await expectPermitBack(under);
});

test('a pipeline that is aborted gives its permit back', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
  const controller = new AbortController();
  const rows = under.pool.query(new QueryStream(manyRows.sql));
  const consumed = pipeline(
    rows,
    async (source: AsyncIterable<unknown>) => {
      for await (const _ of source) controller.abort();
    },
    { signal: controller.signal },
  );
  await expect(consumed).rejects.toMatchObject({ name: 'AbortError' });
  await expectPermitBack(under);
});

test('data that fail on their way into a COPY FROM end it: nothing is kept, and the permit comes back', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
  await operator.execute('truncate floodgate_numbers');
  const source = Readable.from(
    (async function* () {
      yield '1\n2\n';
      throw new Error('no more data');
    })(),
  );
  const sink = under.pool.query(copy.from('copy floodgate_numbers from stdin'));
  await expect(pipeline(source, sink)).rejects.toThrow('no more data');
  await expectPermitBack(under);
  expect(await operator.column('select count(*)::int from floodgate_numbers')).toEqual([0]);
});

test('a COPY TO goes into a COPY FROM through two clients of one pool', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 2 }, { max: 2 });
  await operator.execute('truncate floodgate_numbers');
  await pipeline(
    under.pool.query(copy.to('copy (select n from generate_series(1, 50000) as n) to stdout')),
    under.pool.query(copy.from('copy floodgate_numbers from stdin')),
  );
  await expectPermitBack(under);
  expect(await operator.column('select count(*)::int from floodgate_numbers')).toEqual([50_000]);
  expect(under.limiter.stats().classes.stream).toMatchObject({ admitted: 2, succeeded: 2 });
});
