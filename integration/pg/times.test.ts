import { setTimeout as sleep } from 'node:timers/promises';
import type { Limiter } from 'floodgate';
import type pg from 'pg';
import { expect, inject, test } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';

/* Three times that must not be mixed up: the wait for a connection, the opening of one, and the work of a query. */

const { url } = inject('postgres');

function timesOf(limiter: Limiter) {
  const times = { poolWait: [] as number[], connect: [] as number[], latency: [] as number[] };
  limiter.subscribe({
    onPoolWait: (waitMs) => times.poolWait.push(waitMs),
    onConnectTime: (connectMs) => times.connect.push(connectMs),
    // What failed has a duration, but that is no latency.
    onLatency: (_, latencyMs, outcome) => outcome !== 'failed' && times.latency.push(latencyMs),
  });
  return times;
}

async function warmUp(pool: pg.Pool): Promise<void> {
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of clients) client.release();
}

function expectNear(measured: readonly number[], expected: readonly number[], toleranceMs: number): void {
  expect(measured).toHaveLength(expected.length);
  for (const [index, ms] of measured.entries()) {
    expect(Math.abs(ms - expected[index]!), `${measured.map(Math.round)}`).toBeLessThan(toleranceMs);
  }
}

test('8 queries of 100 ms on 2 warm connections wait 0, 0, 100, 100, 200, 200, 300, 300 ms', async () => {
  await using under = limitedPool(url, {}, { max: 2 });
  await warmUp(under.pool);
  const { poolWait, connect, latency } = timesOf(under.limiter);
  await Promise.all(Array.from({ length: 8 }, () => under.pool.query('select pg_sleep(0.1)')));
  expectNear(poolWait, [0, 0, 100, 100, 200, 200, 300, 300], 60);
  expectNear(latency, Array(8).fill(100), 40);
  expect(connect).toEqual([]);
});

test('only the first checkout of each connection is connect time, and it is no wait', async () => {
  await using under = limitedPool(url, {}, { max: 2 });
  const { poolWait, connect } = timesOf(under.limiter);
  await Promise.all(Array.from({ length: 6 }, () => under.pool.query('select pg_sleep(0.05)')));
  expect(connect).toHaveLength(2);
  expect(poolWait).toHaveLength(4);
  for (const ms of connect) expect(ms).toBeGreaterThan(0.5);
  await under.pool.query('select 1');
  expect([connect.length, poolWait.length]).toEqual([2, 5]);
  const { connectTime, poolWait: recorded } = under.limiter.stats();
  expect(connectTime.p95).toBeGreaterThan(0.5);
  expect(recorded.p95).toBeGreaterThan(30);
});

test('a connection that replaces a lost one is connect time again', async () => {
  await using under = limitedPool(url, {}, { max: 1 });
  const { poolWait, connect } = timesOf(under.limiter);
  const client = await under.pool.connect();
  client.release(true);
  await under.pool.query('select 1');
  expect([connect.length, poolWait.length]).toEqual([2, 0]);
});

test('a client held for 500 ms with one query of 10 ms gives a latency of 10 ms', async () => {
  await using under = limitedPool(url, {}, { max: 2 });
  await warmUp(under.pool);
  const { latency } = timesOf(under.limiter);
  const client = await under.pool.connect();
  await sleep(250);
  await client.query('select pg_sleep(0.01)');
  await sleep(250);
  client.release();
  expectNear(latency, [12], 35);
  const { classes } = under.limiter.stats();
  expect(classes.transaction?.latency.p95).toBeLessThan(50);
  expect(classes.transaction?.latency.p50).toBeGreaterThan(9);
});

test('three queries on one checkout are three latencies', async () => {
  await using under = limitedPool(url, {}, { max: 1 });
  const { latency } = timesOf(under.limiter);
  const client = await under.pool.connect();
  for (const seconds of [0.02, 0.06, 0.1]) await client.query(`select pg_sleep(${seconds})`);
  client.release();
  expectNear(latency, [21, 61, 101], 35);
  expect(under.limiter.stats()).toMatchObject({ admitted: 1, succeeded: 1 });
});

test('an error that the server answers at once is no latency, a timeout is', async () => {
  await using under = limitedPool(url, {}, { max: 1, statement_timeout: 60 });
  const { latency } = timesOf(under.limiter);
  await expect(under.pool.query('selec 1')).rejects.toMatchObject({ code: '42601' });
  expect([latency, under.limiter.stats().latency.p50]).toEqual([[], undefined]);
  await expect(under.pool.query('select pg_sleep(30)')).rejects.toMatchObject({ code: '57014' });
  expectNear(latency, [62], 40);
});
