import { setTimeout as sleep } from 'node:timers/promises';
import { BackpressureError } from 'floodgate';
import type pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';

const { url } = inject('postgres');

/** How many of each end. */
async function ends(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(calls)) {
    const end =
      result.status === 'fulfilled'
        ? 'served'
        : result.reason instanceof BackpressureError
          ? result.reason.reason
          : result.reason.message;
    counts[end] = (counts[end] ?? 0) + 1;
  }
  return counts;
}

const queries = (pool: pg.Pool, count: number, sql: string) =>
  Array.from({ length: count }, () => pool.query(sql));

describe('pool.end()', () => {
  test('serves the 20 that wait, and then ends', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 22 }, { max: 2 });
    const calls = queries(under.pool, 22, 'select pg_sleep(0.02)');
    expect(under.pool.waitingCount).toBe(20);
    await under.pool.end();
    expect(under.pool.totalCount).toBe(0);
    expect(await ends(calls)).toEqual({ served: 22 });
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, running: 0, succeeded: 22 });
  });

  test('admits nothing while it serves what waits, and answers as an ended pool does', async () => {
    await using under = limitedPool(url, {}, { max: 1 });
    const calls = queries(under.pool, 3, 'select pg_sleep(0.05)');
    const ended = under.pool.end();
    expect(under.pool.ending).toBe(false);
    const late = [under.pool.query('select 1'), under.pool.connect()];
    expect(await ends(late)).toEqual({ 'Cannot use a pool after calling end on the pool': 2 });
    await expect(under.pool.end()).rejects.toThrow('Called end on pool more than once');
    await ended;
    expect(await ends(calls)).toEqual({ served: 3 });
    expect(under.limiter.stats()).toMatchObject({ admitted: 3, rejected: 0 });
  });

  test('calls back once, after those that wait, and returns nothing', async () => {
    await using under = limitedPool(url, {}, { max: 1 });
    const calls = queries(under.pool, 3, 'select pg_sleep(0.02)');
    const order: string[] = [];
    calls[2]!.then(() => order.push('served'));
    let returned: unknown = 'something';
    await new Promise<void>((resolve) => {
      returned = under.pool.end(() => {
        order.push('ended');
        resolve();
      });
    });
    expect([returned, order]).toEqual([undefined, ['served', 'ended']]);
  });

  test('waits for a client that is out, and its permit is back when the holder releases it', async () => {
    await using under = limitedPool(url, {}, { max: 1 });
    const client = await under.pool.connect();
    const ended = under.pool.end();
    expect(await Promise.race([ended, sleep(50, 'waiting')])).toBe('waiting');
    expect(under.limiter.inFlight).toBe(1);
    client.release();
    await ended;
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 1 });
  });
});

describe('limiter.drain(), then pool.end()', () => {
  test('admits nothing new, finishes what runs, and ends', async () => {
    await using under = limitedPool(url, {}, { max: 2 });
    const running = queries(under.pool, 2, 'select pg_sleep(0.1)');
    const waiting = queries(under.pool, 4, 'select pg_sleep(0.02)');
    const drained = under.limiter.drain({ timeoutMs: 5_000 });
    const late = [...queries(under.pool, 2, 'select 1'), under.pool.connect()];
    expect(await ends(late)).toEqual({ draining: 3 });
    await drained;
    expect(await ends([...running, ...waiting])).toEqual({ served: 6 });
    expect(under.limiter.stats()).toMatchObject({ state: 'drained', running: 0, succeeded: 6 });
    await under.pool.end();
    expect(under.pool.totalCount).toBe(0);
  });

  test('refuses at the deadline those that still wait; those that run are finished before the end', async () => {
    await using under = limitedPool(url, {}, { max: 2 });
    const running = queries(under.pool, 2, 'select pg_sleep(0.4)');
    const waiting = queries(under.pool, 20, 'select 1');
    const began = performance.now();
    await under.limiter.drain({ timeoutMs: 100 });
    expect(performance.now() - began).toBeLessThan(300);
    await expect(waiting[0]).rejects.toMatchObject({ operation: 'query' });
    expect(await ends(waiting)).toEqual({ draining: 20 });
    expect(performance.now() - began).toBeLessThan(300);
    expect(under.limiter.stats()).toMatchObject({ inFlight: 2, running: 2, state: 'draining', ignored: 20 });
    await under.pool.end();
    expect(await ends(running)).toEqual({ served: 2 });
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, running: 0, state: 'drained', succeeded: 2 });
    expect(under.pool.totalCount).toBe(0);
  });

  test('refuses those that wait after end() was called, too, which then ends', async () => {
    await using under = limitedPool(url, {}, { max: 1 });
    const client = await under.pool.connect();
    const waiting = queries(under.pool, 5, 'select 1');
    const ended = under.pool.end();
    await under.limiter.drain({ timeoutMs: 50 });
    expect(await ends(waiting)).toEqual({ draining: 5 });
    client.release();
    await ended;
    expect(under.limiter.stats()).toMatchObject({ state: 'drained', ignored: 5, succeeded: 1 });
    expect(under.pool.totalCount).toBe(0);
  });
});
