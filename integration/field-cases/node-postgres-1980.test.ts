import { setTimeout as sleep } from 'node:timers/promises';
import { BackpressureError } from 'floodgate';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { barePool, limitedPool } from '../support/pool-under-test.js';

const RUNNING = 10;
const WAITING = 20;
const WORK_MS = 600;
const { url } = inject('postgres');

/** 10 queries that run and 20 that wait, and what has become of each so far. */
async function occupy(pool: pg.Pool) {
  await Promise.all(Array.from({ length: RUNNING }, () => pool.query('select 1')));
  const outcomes: (string | undefined)[] = new Array(RUNNING + WAITING).fill(undefined);
  const answered = outcomes.map((_, index) =>
    pool.query(`select pg_sleep(${WORK_MS / 1000})`).then(
      () => {
        outcomes[index] = 'served';
      },
      (error: unknown) => {
        outcomes[index] = error instanceof BackpressureError ? error.reason : String(error);
      },
    ),
  );
  await sleep(50);
  expect(pool.waitingCount).toBe(WAITING);
  const count = (outcome: string | undefined) => outcomes.filter((each) => each === outcome).length;
  return { count, answered: Promise.all(answered) };
}

describe('the end with 10 queries running and 20 waiting (brianc/node-postgres#1980, #2199, #2341)', () => {
  test('bare: end() resolves, and those who waited are never answered', async () => {
    await using bare = barePool(url, { max: RUNNING });
    const { count } = await occupy(bare.pool);
    await bare.pool.end();
    await sleep(100);
    expect(count('served')).toBe(RUNNING);
    expect(count(undefined)).toBe(WAITING);
  });

  test('limited, end(): every accepted query is served first, nothing new comes in', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: RUNNING + WAITING }, { max: RUNNING });
    const { pool, limiter } = limited;
    const { count } = await occupy(pool);
    const ended = pool.end();
    await expect(pool.query('select 1')).rejects.toThrow('Cannot use a pool after calling end on the pool');
    await ended;
    await new Promise(setImmediate);
    expect(count('served')).toBe(RUNNING + WAITING);
    expect(limiter.inFlight).toBe(0);
  });

  test('limited, drain with a deadline: what runs finishes, who waits gets `draining`, and the end comes in time', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: RUNNING + WAITING }, { max: RUNNING });
    const { pool, limiter } = limited;
    const { count, answered } = await occupy(pool);
    const began = performance.now();
    const drained = limiter.drain({ timeoutMs: 200 });
    await expect(pool.query('select 1')).rejects.toMatchObject({ reason: 'draining' });
    expect(count(undefined)).toBe(RUNNING + WAITING);
    await drained;
    const drainMs = performance.now() - began;
    await new Promise(setImmediate);
    expect(count('draining')).toBe(WAITING);
    expect(count(undefined)).toBe(RUNNING);
    expect(limiter.inFlight).toBe(RUNNING);

    await pool.end();
    await answered;
    const endMs = performance.now() - began;
    expect(count('served')).toBe(RUNNING);
    expect(limiter.stats().state).toBe('drained');
    expect(drainMs).toBeGreaterThanOrEqual(199);
    expect(drainMs).toBeLessThan(400);
    expect(endMs).toBeLessThan(2 * WORK_MS);
  });
});
