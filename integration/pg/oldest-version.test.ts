import { createRequire } from 'node:module';
import { BackpressureError } from 'floodgate';
import { LimitedPool, limitClientClass } from 'floodgate/pg';
import type pg from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';

const oldest = createRequire(import.meta.url)('pg-oldest') as typeof pg;
const { version } = createRequire(import.meta.url)('pg-oldest/package.json') as { version: string };
const { url } = inject('postgres');

function poolOf(options: ConstructorParameters<typeof LimitedPool>[1], config: pg.PoolConfig = {}) {
  const pool = new LimitedPool(oldest.Pool, options, { connectionString: url, max: 4, ...config });
  onTestFinished(async () => {
    if (!pool.ending) await pool.end();
  });
  return pool;
}

describe('the oldest version of pg that is supported', () => {
  test('is the one that package.json names', () => {
    const { peerDependencies } = createRequire(import.meta.url)('../../package.json') as {
      peerDependencies: Record<string, string>;
    };
    expect(peerDependencies.pg).toBe(`>=${version}`);
  });

  test('8 of 50 queries are admitted at a limit of 8, and every permit comes back', async () => {
    const pool = poolOf({ maxConcurrentOps: 8 });
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => pool.query('select pg_sleep(0.02)')),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    expect(
      results.filter((result) => result.status === 'rejected' && result.reason instanceof BackpressureError),
    ).toHaveLength(42);
    expect(pool.limiter.inFlight).toBe(0);
  });

  test('a statement keeps its permit after its query_timeout, until the server is done', async () => {
    const pool = poolOf({ maxConcurrentOps: 2 }, { query_timeout: 100 });
    await expect(pool.query('select pg_sleep(0.4)')).rejects.toThrow('Query read timeout');
    expect(pool.limiter.inFlight).toBe(1);
    await vi.waitFor(() => expect(pool.limiter.inFlight).toBe(0), 5_000);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('what waits for a place and then has a connection opened has both times apart', async () => {
    const pool = poolOf({}, { max: 1 });
    const times: number[] = [];
    const client = await pool.connect();
    pool.limiter.subscribe({
      onPoolWait: (ms) => times.push(ms),
      onConnectTime: (ms) => times.push(ms),
    });
    const waiting = pool.query('select 1');
    await new Promise((resolve) => setTimeout(resolve, 300));
    client.release(true);
    await waiting;
    expect(times).toHaveLength(2);
    expect(times[0]).toBeGreaterThan(250);
    expect(times[1]).toBeLessThan(200);
  });

  test('a config object that is used again is not changed', async () => {
    const pool = poolOf({ maxConcurrentOps: 2 });
    const config = { text: 'select 1 as one' };
    for (let times = 0; times < 2; times++) expect((await pool.query(config)).rows).toEqual([{ one: 1 }]);
    expect(Object.values(config)).toEqual(['select 1 as one', ...Object.values(config).slice(1)]);
  });

  test('a standalone client holds one permit for a whole transaction', async () => {
    const Client = limitClientClass(oldest.Client, { maxConcurrentOps: 1 });
    const client = new Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    await vi.waitFor(() => expect(Client.limiter.inFlight).toBe(0));
    await client.query('begin');
    await client.query('select 1');
    expect(Client.limiter.inFlight).toBe(1);
    await client.query('commit');
    expect(Client.limiter.inFlight).toBe(0);
  });
});
