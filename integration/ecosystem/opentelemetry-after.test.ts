import { LimitedPool } from 'floodgate/pg';
import { expect, inject, test } from 'vitest';
import { startTracing, usePool } from './support/spans.js';

const { url } = inject('postgres');
const { pg, instrumentation, spansOf } = startTracing();

test('instrumentation-pg that is enabled after a pool was limited sees the same spans as of a bare pool', async () => {
  instrumentation.disable();
  const bare = new pg.Pool({ connectionString: url, max: 1 });
  const pool = new LimitedPool(pg.Pool, { maxConcurrentOps: 10 }, { connectionString: url, max: 1 });
  expect(await spansOf(() => usePool(pool))).toEqual(['root < none, status 0']);
  expect(await spansOf(() => usePool(bare))).toEqual(['root < none, status 0']);

  instrumentation.enable();
  const expected = await spansOf(() => usePool(bare));
  const spans = await spansOf(() => usePool(pool));
  await Promise.all([bare.end(), pool.end()]);
  expect(expected.length).toBeGreaterThan(20);
  expect(spans).toEqual(expected);
  expect(pool.limiter.stats()).toMatchObject({ inFlight: 0, rejected: 0, doubleReleases: 0 });
});
