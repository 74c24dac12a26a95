import type { LimitedPool } from 'floodgate/pg';
import { Logger, makeWorkerUtils, run, runMigrations, runOnce } from 'graphile-worker';
import type pg from 'pg';
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

/** A runner may end before its last job has been marked as done; one connection may be its LISTEN. */
async function untilDone(pool: pg.Pool, schema: string): Promise<void> {
  await using operator = await openOperator(url);
  const jobs = () => operator.column(`select id from ${schema}._private_jobs`);
  await expect.poll(jobs, { timeout: 5_000 }).toEqual([]);
  await expect.poll(() => pool.totalCount - pool.idleCount).toBeLessThanOrEqual(1);
}

/** Keeps what is worse than information. */
function optionsFor(pool: pg.Pool | LimitedPool) {
  const schema = `worker_${schemas.length}`;
  schemas.push(schema);
  const complaints: string[] = [];
  const logger = new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') complaints.push(message);
  });
  // Otherwise it warns, and listens itself.
  if (pool.listenerCount('connect') === 0) pool.on('connect', () => {});
  return { options: { pgPool: pool, schema, logger, noHandleSignals: true }, complaints };
}

describe('graphile-worker over a limited pool', () => {
  test('migrates, adds jobs, runs them once, and runs with LISTEN as over a bare one', async () => {
    const result = await onBoth(
      async (pool) => {
        const { options, complaints } = optionsFor(pool);
        const ran: unknown[] = [];
        const taskList = { bird: async (payload: unknown) => void ran.push(payload) };
        await runMigrations(options);
        const utils = await makeWorkerUtils(options);
        await utils.addJob('bird', { name: 'auk' });
        await runOnce({ ...options, taskList });
        await untilDone(pool, options.schema);

        // A poll every minute: what comes within seconds comes by LISTEN.
        const runner = await run({ ...options, taskList, concurrency: 2, pollInterval: 60_000 });
        await new Promise((resolve) => runner.events.once('pool:listen:success', resolve));
        await utils.addJob('bird', { name: 'emu' });
        await expect.poll(() => ran.length, { timeout: 5_000 }).toBe(2);
        await untilDone(pool, options.schema);
        await runner.stop();
        await utils.release();
        return { ran, complaints };
      },
      { max: 5 },
    );
    expect(result).toEqual({ ran: [{ name: 'auk' }, { name: 'emu' }], complaints: [] });
  });

  test('holds one permit for its LISTEN connection as long as it runs', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 10 }, { max: 5 });
    const { options } = optionsFor(limited.pool);
    const runner = await run({ ...options, taskList: { bird: async () => {} }, pollInterval: 60_000 });
    await expect.poll(() => limited.limiter.inFlight).toBe(1);
    expect(limited.limiter.stats().classes.transaction?.inFlight).toBe(1);
    await runner.stop();
    expect(limited.limiter.inFlight).toBe(0);
  });

  test('a rejection comes through, and the job is added or not, never half', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 10 });
    const { options } = optionsFor(limited.pool);
    const utils = await makeWorkerUtils(options);
    await utils.migrate();
    const add = () => utils.addJob('bird', {});
    limited.limiter.resize(1);
    expect(await atLimitOne(limited.limiter, add)).toEqual(['BackpressureError']);
    limited.limiter.resize(10);
    let ran = 0;
    await runOnce({ ...options, taskList: { bird: async () => void ran++ } });
    // One of five at once, and one afterwards.
    expect(ran).toBe(2);
    await untilDone(limited.pool, options.schema);
    await utils.release();
  });

  test('a pool and limiter of its own leave the worker untouched by a burst of the application', async () => {
    await using application = limitedPool(url, { maxConcurrentOps: 2 });
    await using background = limitedPool(url, { name: 'worker', maxConcurrentOps: 10 }, { max: 4 });
    const { options, complaints } = optionsFor(background.pool);
    let ran = 0;
    const runner = await run({
      ...options,
      taskList: { bird: async () => void ran++ },
      pollInterval: 60_000,
    });
    await new Promise((resolve) => runner.events.once('pool:listen:success', resolve));
    const calls = Array.from({ length: 500 }, () => application.pool.query('select pg_sleep(0.2)'));
    const burst = Promise.allSettled(calls);
    await runner.addJob('bird', {});
    await expect.poll(() => ran).toBe(1);
    await untilDone(background.pool, options.schema);
    expect((await burst).filter(({ status }) => status === 'rejected')).toHaveLength(498);
    expect(background.limiter.stats().rejected).toBe(0);
    expect(complaints).toEqual([]);
    await runner.stop();
  });
});
