import { LimitedPool } from 'floodgate/pg';
import { expect, inject, test } from 'vitest';
import { startTracing, usePool } from './support/spans.js';

const { url } = inject('postgres');
const { pg, spansOf } = startTracing();

test('instrumentation-pg that is loaded before a pool is limited sees the same spans as of a bare pool', async () => {
  const bare = new pg.Pool({ connectionString: url, max: 1 });
  const expected = await spansOf(() => usePool(bare));
  await bare.end();
  expect(expected).toHaveLength(32);

  const pool = new LimitedPool(pg.Pool, { maxConcurrentOps: 10 }, { connectionString: url, max: 1 });
  const spans = await spansOf(() => usePool(pool));
  await pool.end();
  expect(spans).toEqual(expected);
  expect(pool.limiter.stats()).toMatchObject({ inFlight: 0, rejected: 0, doubleReleases: 0 });
});

test('a rejected query makes no span of a query: nothing was sent', async () => {
  const pool = new LimitedPool(pg.Pool, { maxConcurrentOps: 1 }, { connectionString: url, max: 1 });
  const spans = await spansOf(() =>
    Promise.allSettled(Array.from({ length: 5 }, () => pool.query('select pg_sleep(0.05)'))),
  );
  await pool.end();
  expect(pool.limiter.stats().rejected).toBe(4);
  expect(spans.filter((span) => span.startsWith('pg.query'))).toHaveLength(1);
});
