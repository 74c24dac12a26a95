import type { LimitedPool } from 'floodgate/pg';
import type pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { openLoop } from '../support/open-loop.js';
import { limitedPool } from '../support/pool-under-test.js';
import {
  copyFrom,
  copyTo,
  cursor,
  promise,
  queryObjectWithCallback,
  queryStream,
  type Target,
  transaction,
} from './call-bodies.js';
import { prepareTables, rows, sleeping, sqlError } from './work.js';

const { url } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await prepareTables(operator);
});
afterAll(() => operator[Symbol.asyncDispose]());

const BODIES = [promise, queryObjectWithCallback, cursor, queryStream, copyTo, copyFrom];
const WORKS = [rows, rows, sqlError, sleeping(0.02)];

/** All forms of call in turn, through the pool and on clients of it. */
async function call(pool: LimitedPool, index: number): Promise<unknown> {
  const work = WORKS[index % WORKS.length]!;
  const body = BODIES[index % BODIES.length]!;
  if (index % 3 !== 0) return body.run({ query: pool.query.bind(pool), breakOff() {} }, work);
  const client = await pool.connect();
  let broken = index % 7 === 0;
  const target: Target = { query: client.query.bind(client), breakOff() {} };
  const { promise: lost, onError } = lossOf(client);
  try {
    return await Promise.race([(index % 2 === 0 ? transaction : body).run(target, work), lost]);
  } catch (error) {
    // pg-query-stream 4.17 leaves a failed stream's connection one message behind: a COPY after it ends the process.
    broken = true;
    throw error;
  } finally {
    client.removeListener('error', onError);
    client.release(broken);
  }
}

function lossOf(client: pg.PoolClient) {
  let onError!: (error: Error) => void;
  const promise = new Promise<never>((_, reject) => {
    onError = reject;
  });
  promise.catch(() => {});
  client.on('error', onError);
  return { promise, onError };
}

const clientsOut = (pool: pg.Pool) => pool.totalCount - pool.idleCount + pool.waitingCount;

test('under a load that is cut, cancelled and rejected, permits are the clients that are out, never more than the limit', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 12 }, { max: 6 });
  const { pool, limiter, name } = under;
  // A client may be killed on its way to a holder who waits for it, bare or not: nobody else would listen then.
  pool.on('connect', (client) => client.on('error', () => {}));
  const { sent, answered } = openLoop({ ratePerSecond: 1_200, durationMs: 3_000 }, (n) => call(pool, n));
  let over = false;
  const samples: { readonly inFlight: number; readonly out: number }[] = [];
  const watch = setInterval(() => samples.push({ inFlight: limiter.inFlight, out: clientsOut(pool) }), 2);
  const vandal = (async () => {
    while (!over) {
      await operator.column('select pg_sleep(0.1)');
      await operator.cancel(name);
      await operator.column('select pg_sleep(0.1)');
      await operator.terminate(name);
    }
  })();
  const calls = await sent;
  const arrivals = await answered;
  over = true;
  await vandal;
  clearInterval(watch);
  expect(arrivals).toHaveLength(calls);
  expect(samples.filter(({ inFlight, out }) => inFlight !== out)).toEqual([]);
  expect(samples.filter(({ inFlight }) => inFlight > 12)).toEqual([]);
  const { admitted, succeeded, failed, overloaded, ignored, rejected, ...stats } = limiter.stats();
  expect(stats).toMatchObject({ inFlight: 0, running: 0, peakInFlight: 12, doubleReleases: 0 });
  expect(admitted).toBe(succeeded + failed + overloaded + ignored);
  expect(rejected).toBe(arrivals.filter(({ outcome }) => outcome === 'rejected').length);
  expect(Math.min(succeeded, failed, overloaded, rejected)).toBeGreaterThan(0);
  await vi.waitFor(async () => expect((await pool.query('select 1')).rowCount).toBe(1));
});
