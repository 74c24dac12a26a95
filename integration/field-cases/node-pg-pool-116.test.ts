import type pg from 'pg';
import { expect, inject, test } from 'vitest';
import { type Arrival, openLoop } from '../support/open-loop.js';
import { barePool, limitedPool } from '../support/pool-under-test.js';
import { note } from './support/note.js';
import { queued } from './support/queued.js';
import { latencies, median, only, percentile, slope } from './support/statistics.js';

const CONNECTIONS = 10;
const WAITING = 5;
const DURATION_MS = 25_000;
/** A tenth more than 10 connections can do of 50 ms each, were there nothing but sleep. */
const RATE = (1.1 * CONNECTIONS) / 0.05;

test('a tenth more than the capacity does not make waiting grow with time (brianc/node-pg-pool#116)', async () => {
  const { url } = inject('postgres');
  await using bare = barePool(url, { max: CONNECTIONS });
  await using limited = limitedPool(url, { maxConcurrentOps: CONNECTIONS + WAITING }, { max: CONNECTIONS });
  const ask = (pool: pg.Pool) => pool.query('select pg_sleep(0.05)');

  // Side by side, so that both meet the same noise; sleeping backends don't disturb each other.
  const load = { ratePerSecond: RATE, durationMs: DURATION_MS };
  let mostQueued = 0;
  const [bareArrivals, arrivals] = await Promise.all([
    openLoop(load, () => ask(bare.pool)).answered,
    openLoop(load, () => {
      mostQueued = Math.max(mostQueued, queued(limited.pool));
      return ask(limited.pool);
    }).answered,
  ]);

  const growth = { bare: growthPerSecond(bareArrivals), limited: growthPerSecond(arrivals) };
  const served = latencies(arrivals, 'served');
  const [p50, p99] = [median(served), percentile(served, 0.99)];
  const goodput = servedInTime(arrivals) / servedInTime(bareArrivals);
  note('latency growth in ms per second', growth);
  note('limited', { p50, p99, mostQueued, goodput });
  // By arithmetic, a tenth of each second's work is left over at least: the wait grows by 90 ms per second.
  expect(growth.bare).toBeGreaterThan(45);
  expect(Math.abs(growth.limited)).toBeLessThan(growth.bare / 20);
  // 50 ms of work, and 25 ms of waiting behind at most half as many as there are connections.
  expect(mostQueued).toBe(WAITING);
  expect(p50).toBeLessThan(120);
  expect(p99).toBeLessThan(250);
  // The bare pool is never idle: it serves what can be served.
  expect(goodput).toBeGreaterThan(0.95);
});

/** Milliseconds that the latency of the served grows by with each second. */
function growthPerSecond(arrivals: readonly Arrival[]): number {
  return slope(only(arrivals, 'served').map(({ dueMs, latencyMs }) => [dueMs / 1000, latencyMs]));
}

/** How many were answered before the load was over. */
function servedInTime(arrivals: readonly Arrival[]): number {
  return only(arrivals, 'served').filter(({ dueMs, latencyMs }) => dueMs + latencyMs <= DURATION_MS).length;
}
