import type { LimitedPool } from 'floodgate/pg';
import type pg from 'pg';
import PgBoss from 'pg-boss';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { openOperator } from '../support/faults.js';
import { limitedPool } from '../support/pool-under-test.js';
import { atLimitOne } from './support/at-limit-one.js';
import { onBoth } from './support/on-both.js';

const { url } = inject('postgres');
const schemas: string[] = [];

afterAll(async () => {
  await using operator = await openOperator(url);
  for (const schema of schemas) await operator.column(`drop schema if exists ${schema} cascade`);
});

/** pg-boss opens a pool of its own unless it is given something that executes SQL. */
async function started(pool: pg.Pool | LimitedPool) {
  const schema = `boss_${schemas.length}`;
  schemas.push(schema);
  const db = { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) };
  const boss = new PgBoss({ db, schema, supervise: false, schedule: false });
  const errors: unknown[] = [];
  boss.on('error', (error) => errors.push(error));
  await boss.start();
  await boss.createQueue('birds');
  return { boss, errors, stop: () => boss.stop({ graceful: false, wait: true }) };
}

describe('pg-boss over a limited pool (`db: { executeSql }`)', () => {
  test('migrates, sends, fetches, completes and works as over a bare one', async () => {
    const result = await onBoth(async (pool) => {
      const { boss, errors, stop } = await started(pool);
      await boss.send('birds', { name: 'auk' });
      const [job] = await boss.fetch<{ name: string }>('birds');
      await boss.complete('birds', job!.id);
      const fetched = [job!.data, (await boss.getJobById('birds', job!.id))?.state];

      await boss.insert([1, 2, 3].map((n) => ({ name: 'birds', data: { n } })));
      const worked: number[] = [];
      await boss.work<{ n: number }>('birds', { batchSize: 3, pollingIntervalSeconds: 0.5 }, async (jobs) => {
        worked.push(...jobs.map(({ data }) => data.n));
      });
      await expect.poll(() => worked.length, { timeout: 5_000 }).toBe(3);
      await expect.poll(() => boss.getQueueSize('birds'), { timeout: 5_000 }).toBe(0);
      await boss.offWork('birds');
      await stop();
      return { fetched, worked: worked.sort(), errors };
    });
    expect(result).toEqual({ fetched: [{ name: 'auk' }, 'completed'], worked: [1, 2, 3], errors: [] });
  });

  test('a rejection comes through, and the job is sent or not, never half', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 });
    const { boss, errors, stop } = await started(limited.pool);
    const send = () => boss.send('birds', { some: 'bird' });
    expect(await atLimitOne(limited.limiter, send)).toEqual(['BackpressureError']);
    // One of five at once, and one afterwards.
    expect(await boss.getQueueSize('birds')).toBe(2);
    expect(errors).toEqual([]);
    await stop();
  });

  test('a worker whose polls are rejected goes on when there is room', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 });
    const { pool, limiter } = limited;
    const { boss, errors, stop } = await started(pool);
    const worked: string[] = [];
    await boss.send('birds', { name: 'jay' });
    const holder = await pool.connect();
    await boss.work<{ name: string }>('birds', { pollingIntervalSeconds: 0.5 }, async ([job]) => {
      worked.push(job!.data.name);
    });
    // pg-boss takes a poll that fails for one that found no job.
    await expect.poll(() => limiter.stats().rejected, { timeout: 5_000 }).toBeGreaterThan(1);
    expect({ worked, errors }).toEqual({ worked: [], errors: [] });
    holder.release();
    await expect.poll(() => worked, { timeout: 5_000 }).toEqual(['jay']);
    await stop();
  });
});
