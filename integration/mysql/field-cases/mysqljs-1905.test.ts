import { setTimeout as sleep } from 'node:timers/promises';
import type mysql from 'mysql2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { note } from '../../field-cases/support/note.js';
import { latencies, median } from '../../field-cases/support/statistics.js';
import { openLoop } from '../../support/open-loop.js';
import { barePool, limitedPool, uniqueName } from '../support/client-under-test.js';
import { type Operator, openOperator } from '../support/operator.js';
import { sharedMysql } from '../support/shared-server.js';
import { sleeping } from '../work.js';

const LIMIT = 5;
const TIMEOUT_MS = 200;
const url = await sharedMysql();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
});

async function ownDatabase(): Promise<string> {
  const database = uniqueName();
  await operator.createDatabase(database);
  return database;
}

afterAll(() => operator[Symbol.asyncDispose]());

/** As services write it, with a connection that goes back when its caller has had enough. */
async function call(pool: mysql.Pool): Promise<void> {
  const connection = await pool.promise().getConnection();
  try {
    await connection.query(sleeping(5, TIMEOUT_MS));
  } finally {
    connection.release();
  }
}

/** 50 calls a second that take 5 s each, for callers who wait 200 ms; looks at the server while they come in. */
async function stuckQueries(pool: mysql.Pool, database: string, durationMs: number) {
  const load = openLoop({ ratePerSecond: 50, durationMs }, () => call(pool));
  let running = 0;
  let over = false;
  void load.sent.then(() => {
    over = true;
  });
  while (!over) {
    running = Math.max(running, await operator.running(database));
    await sleep(20);
  }
  return { load, running };
}

// A pool with more connections than permits: the pool's own bound is not what holds.
const config = { connectionLimit: 50 };

describe('slow queries and a client timeout (mysqljs/mysql#1905)', () => {
  test('bare: statements pile up at the server', async () => {
    const database = await ownDatabase();
    await using bare = barePool(url, database, config);
    const { running } = await stuckQueries(bare.pool, database, 1_000);
    note('bare', { running });
    await operator.killQueries(database);
    expect(running).toBeGreaterThan(4 * LIMIT);
  });

  test('limited: never more at work than permits, and the caller has its timeout all the same', async () => {
    const database = await ownDatabase();
    await using limited = limitedPool(url, database, { maxConcurrentOps: LIMIT }, config);
    const { load, running } = await stuckQueries(limited.pool, database, 3_000);
    const arrivals = await load.answered;
    const timedOut = latencies(arrivals, 'failed');
    const rejected = latencies(arrivals, 'rejected');
    note('limited', { running, timedOut: timedOut.length, p50: median(timedOut), rejected: rejected.length });
    expect(running).toBe(LIMIT);
    // One statement takes 5 s: five of them have the permits for all of the load.
    expect(timedOut).toHaveLength(LIMIT);
    expect(rejected).toHaveLength(arrivals.length - LIMIT);
    expect(median(timedOut)).toBeLessThan(TIMEOUT_MS + 100);
    expect(median(rejected)).toBeLessThan(2);
    expect(limited.limiter.inFlight).toBe(LIMIT);
    await operator.killQueries(database);
    await expect.poll(() => limited.limiter.inFlight).toBe(0);
    expect(limited.limiter.stats().overloaded).toBe(LIMIT);
  });

  test('limited, abandoned statements cancelled: permits come back with the timeout', async () => {
    const database = await ownDatabase();
    const options = { maxConcurrentOps: LIMIT, abandonedStatements: 'cancel' } as const;
    await using limited = limitedPool(url, database, options, config);
    const { load, running } = await stuckQueries(limited.pool, database, 3_000);
    const arrivals = await load.answered;
    const timedOut = latencies(arrivals, 'failed');
    // Five permits, 200 ms each: 25 a second, half of what comes.
    note('limited, cancelling', {
      running,
      timedOut: timedOut.length / arrivals.length,
      p50: median(timedOut),
    });
    expect(running).toBeLessThanOrEqual(LIMIT);
    expect(timedOut.length).toBeGreaterThan(0.35 * arrivals.length);
    await expect.poll(() => limited.limiter.inFlight).toBe(0);
    expect(await operator.running(database)).toBe(0);
  });
});
