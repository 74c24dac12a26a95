import type pg from 'pg';
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { openOperator } from '../support/faults.js';
import { limitedPool } from '../support/pool-under-test.js';
import { atLimitOne } from './support/at-limit-one.js';
import { onBoth } from './support/on-both.js';

const { url } = inject('postgres');
const tableName = 'rate_limits';

/** It finds out by the pool's class what kind of client it has, and makes its table. */
function rateLimiter(pool: pg.Pool, keyPrefix: string): Promise<RateLimiterPostgres> {
  return new Promise((resolve, reject) => {
    const options = { storeClient: pool, tableName, keyPrefix, points: 2, duration: 60 };
    const limiter = new RateLimiterPostgres(options, (error) => (error ? reject(error) : resolve(limiter)));
  });
}

afterAll(async () => {
  await using operator = await openOperator(url);
  await operator.column(`drop table if exists ${tableName}`);
});

describe('rate-limiter-flexible over a limited pool', () => {
  test('knows the pool for what it is, and counts points', async () => {
    let round = 0;
    const result = await onBoth(async (pool) => {
      const limiter = await rateLimiter(pool, `round${round++}`);
      const left = [
        (await limiter.consume('user')).remainingPoints,
        (await limiter.consume('user')).remainingPoints,
      ];
      const over = await limiter.consume('user').catch((refusal: RateLimiterRes) => refusal.remainingPoints);
      return { left, over, deleted: await limiter.delete('user') };
    });
    expect(result).toEqual({ left: [1, 0], over: 0, deleted: true });
  });

  test('a rejection comes through', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 });
    const limiter = await rateLimiter(limited.pool, 'full');
    // One statement at a time: five at once are more than one permit, however short each is.
    let user = 0;
    const consume = () => limiter.consume(`user${user++}`);
    expect(await atLimitOne(limited.limiter, consume)).toEqual(['BackpressureError']);
  });
});
