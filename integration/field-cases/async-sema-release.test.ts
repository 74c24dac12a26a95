import { Sema } from 'async-sema';
import { Limiter } from 'floodgate';
import { describe, expect, inject, test } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';

describe('a permit released three times (async-sema)', () => {
  test('async-sema: one permit becomes three', async () => {
    const sema = new Sema(1);
    await sema.acquire();
    for (let time = 0; time < 3; time++) sema.release();
    expect([sema.tryAcquire(), sema.tryAcquire(), sema.tryAcquire()].filter(Boolean)).toHaveLength(3);
  });

  test('limiter: still one permit, and the two mistakes are counted', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const permit = limiter.acquire();
    for (let time = 0; time < 3; time++) permit.release();
    expect([limiter.tryAcquire(), limiter.tryAcquire(), limiter.tryAcquire()].filter(Boolean)).toHaveLength(
      1,
    );
    expect(limiter.stats()).toMatchObject({ inFlight: 1, doubleReleases: 2, admitted: 2, succeeded: 1 });
  });

  test('pool: still one permit, the driver complains as it always does, and the two mistakes are counted', async () => {
    await using limited = limitedPool(inject('postgres').url, { maxConcurrentOps: 1 }, { max: 2 });
    const { pool, limiter } = limited;
    const client = await pool.connect();
    client.release();
    const already = 'Release called on client which has already been released to the pool.';
    expect(() => client.release()).toThrow(already);
    expect(() => client.release()).toThrow(already);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, doubleReleases: 2 });

    const results = await Promise.allSettled([1, 2, 3].map(() => pool.query('select 1')));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, peakInFlight: 1, doubleReleases: 2 });
  });
});
