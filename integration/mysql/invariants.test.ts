import type { Pool } from 'mysql2';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openLoop } from '../support/open-loop.js';
import { bodies, connectionBodies, promises, stream } from './call-bodies.js';
import { internalsOf, limitedPool, uniqueName } from './support/client-under-test.js';
import { type Operator, openOperator } from './support/operator.js';
import { sharedMysql } from './support/shared-server.js';
import { rows, sqlError, type Work } from './work.js';

const url = await sharedMysql();
const database = uniqueName();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.createDatabase(database);
});
afterAll(() => operator[Symbol.asyncDispose]());

const LIMIT = 12;
// Work, and no sleep(): MariaDB stands still for two seconds when one that is falling asleep is killed.
const working: Work = { sql: "select n, benchmark(10000, md5('a')) from numbers where n = 1" };
const WORKS = [rows, rows, sqlError, working];
// If the connection is lost while it prepares, mysql2 calls the callback of an execute twice.
const told = bodies.filter(({ name, events }) => !events && !name.startsWith('execute'));

/** All forms of call in turn, through the pool and on connections of it. */
async function call(pool: Pool, index: number): Promise<unknown> {
  const work = WORKS[index % WORKS.length]!;
  // Of a stream whose connection is lost, nobody hears.
  if (index % 11 === 0) void stream.run(pool, work).catch(() => {});
  if (index % 3 !== 0) return told[index % told.length]!.run(pool, work);
  if (index % 2 !== 0) return promises[index % promises.length]!.run(pool, work);
  const connection = await pool.promise().getConnection();
  const core = connection.connection as never;
  try {
    return await connectionBodies[index % 5]!.run(core, work);
  } finally {
    if (index % 7 === 0) connection.destroy();
    else connection.release();
  }
}

function connectionsOut(pool: Pool): number {
  const { _allConnections, _freeConnections, _connectionQueue } = internalsOf(pool);
  return _allConnections.length - _freeConnections.length + _connectionQueue.length;
}

test('under a load that is killed and rejected, permits are the connections that are out, never more than the limit', async () => {
  const config = { connectionLimit: 6, multipleStatements: true };
  await using under = limitedPool(url, database, { maxConcurrentOps: LIMIT }, config);
  const { pool, limiter } = under;
  // One may be killed on its way to a holder: nobody else would listen then.
  pool.on('connection', (connection) => connection.on('error', () => {}));
  const { sent, answered } = openLoop({ ratePerSecond: 800, durationMs: 3_000 }, (n) => call(pool, n));
  let over = false;
  const samples: { readonly inFlight: number; readonly out: number }[] = [];
  const watch = setInterval(() => samples.push({ inFlight: limiter.inFlight, out: connectionsOut(pool) }), 2);
  const vandal = (async () => {
    while (!over) {
      await operator.column('select sleep(0.1)');
      await operator.killQueries(database);
      await operator.column('select sleep(0.1)');
      await operator.kill(database);
    }
  })();
  const calls = await sent;
  const arrivals = await answered;
  over = true;
  await vandal;
  clearInterval(watch);
  expect(arrivals).toHaveLength(calls);
  expect(samples.filter(({ inFlight, out }) => inFlight < out)).toEqual([]);
  expect(samples.filter(({ inFlight }) => inFlight > LIMIT)).toEqual([]);
  await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }));
  const { admitted, succeeded, failed, overloaded, ignored, rejected, ...stats } = limiter.stats();
  expect(stats).toMatchObject({ peakInFlight: LIMIT, doubleReleases: 0 });
  expect(admitted).toBe(succeeded + failed + overloaded + ignored);
  expect(Math.min(succeeded, failed, overloaded, rejected)).toBeGreaterThan(0);
  await vi.waitFor(async () => expect((await pool.promise().query('select 1 as n'))[0]).toEqual([{ n: 1 }]));
  await vi.waitFor(() => expect(connectionsOut(pool)).toBe(0));
});
