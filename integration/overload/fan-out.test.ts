import type { Limiter } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import { LimitedPool } from 'floodgate/pg';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openLoop } from '../support/open-loop.js';
import { startPostgres } from '../support/servers/postgres/start-postgres.js';
import { startRedis } from '../support/servers/redis/start-redis.js';

const AT_ONCE = 30;
const SECONDS = 3;

/** Expects room for requests that send 30 operations at once each, and need them all. */
async function expectServed(limiter: Limiter, perSecond: number, operation: () => Promise<unknown>) {
  const { answered } = openLoop({ ratePerSecond: perSecond, durationMs: SECONDS * 1000 }, () =>
    Promise.all(Array.from({ length: AT_ONCE }, operation)),
  );
  const requests = await answered;
  const lasting = requests.filter(({ dueMs }) => dueMs > 1500);
  console.log(`limit ${limiter.limit}: ${limiter.history().map(({ to, reason }) => `${to} (${reason})`)}`);
  expect(requests.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  const served = lasting.filter(({ outcome }) => outcome === 'served');
  expect(served.length / lasting.length).toBeGreaterThan(0.97);
  expect(limiter.limit).toBeGreaterThanOrEqual(AT_ONCE);
  expect(limiter.inFlight).toBe(0);
}

// A busy machine may fill any limit for a moment.
test('adaptive control on an idle Redis makes room for requests of 30 commands at once', {
  retry: 2,
}, async () => {
  await using server = await startRedis();
  const redis = new LimitedRedis(Redis, { adaptive: true }, server.url);
  try {
    await expectServed(redis.limiter, 100, () => redis.get('nothing'));
  } finally {
    redis.disconnect();
  }
});

test('adaptive control on an idle PostgreSQL makes room for requests of 30 queries at once', {
  retry: 2,
}, async () => {
  await using server = await startPostgres();
  const pool = new LimitedPool(pg.Pool, { adaptive: true }, { connectionString: server.url, max: 10 });
  try {
    await expectServed(pool.limiter, 20, () => pool.query('select 1'));
  } finally {
    await pool.end();
  }
});
