import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitController, SampleWindow } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import { LimitedMysql } from 'floodgate/mysql2';
import { LimitedPool } from 'floodgate/pg';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { sharedMysql } from './mysql/support/shared-server.js';
import { startRedis } from './support/servers/redis/start-redis.js';

const LIMIT = 50;
const CALLS = 6_000;

/** Of any client's limiter. */
interface Options {
  readonly maxConcurrentOps?: number;
  readonly adaptive?: { readonly controller: LimitController };
}

/** Fast enough that not every operation is timed. */
const clients = {
  async 'pg.Pool, query'(options: Options) {
    const { url: connectionString } = inject('postgres');
    const pool = new LimitedPool(pg.Pool, options, { connectionString, max: 10 });
    onTestFinished(() => pool.end());
    return { limiter: pool.limiter, call: () => pool.query('select 1') };
  },
  async 'mysql2, query'(options: Options) {
    const pool = await mysqlPool(options);
    return { limiter: pool.limiter, call: () => pool.query('select 1') };
  },
  async 'mysql2, execute'(options: Options) {
    const pool = await mysqlPool(options);
    return { limiter: pool.limiter, call: () => pool.execute('select 1') };
  },
  async ioredis(options: Options) {
    const redis = await limitedRedis(options, false);
    return { limiter: redis.limiter, call: () => redis.get('key') };
  },
  async 'ioredis, auto-pipelining'(options: Options) {
    const redis = await limitedRedis(options, true);
    return { limiter: redis.limiter, call: () => redis.get('key') };
  },
};

test.each(Object.entries(clients))(
  '%s: no latency sample is above what the slowest caller saw',
  async (_, open) => {
    const { limiter, call } = await open({ maxConcurrentOps: LIMIT });
    await call();
    let left = CALLS;
    let slowest = 0;
    const worker = async () => {
      while (left-- > 0) {
        const from = performance.now();
        await call();
        slowest = Math.max(slowest, performance.now() - from);
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    const { latency, admitted } = limiter.stats();
    expect(latency.p50).toBeGreaterThan(0);
    // The histogram's buckets are a few percent wide.
    expect(latency.p99).toBeLessThanOrEqual(slowest * 1.1 + 1);
    expect(admitted).toBeGreaterThan(CALLS);
  },
);

/** One caller, fast: checkouts and queries come in strict turns, and not all of them are timed. */
test.each(Object.entries(clients))(
  '%s: windows of one caller alone hold latency samples',
  async (_, open) => {
    const { controller, windows } = watched();
    const { call } = await open({ adaptive: { controller } });
    for (const until = performance.now() + 3_000; performance.now() < until; ) await call();
    expect(windows.length).toBeGreaterThan(3);
    const untimed = windows.filter(({ meanLatency }) => !(meanLatency > 0));
    expect(untimed).toEqual([]);
  },
);

test.each(Object.entries(clients))(
  '%s: between its calls a caller has nothing in flight',
  async (_, open) => {
    const { controller, windows } = watched();
    const { call } = await open({ adaptive: { controller } });
    for (const until = performance.now() + 1_600; performance.now() < until; ) {
      await call();
      await sleep(15);
    }
    expect(windows.length).toBeGreaterThan(0);
    // Of 15 ms and one call, of which all but a few take a millisecond or two.
    for (const { meanInFlight } of windows) expect(meanInFlight).toBeLessThan(0.6);
  },
);

/** A controller that leaves the limit alone, and the windows that it was shown. */
function watched() {
  const windows: SampleWindow[] = [];
  const controller: LimitController = {
    limit: LIMIT,
    onWindow: (window) => {
      windows.push(window);
      return { limit: LIMIT, reason: 'watched' };
    },
  };
  return { controller, windows };
}

async function mysqlPool(options: Options) {
  const config = { uri: await sharedMysql(), connectionLimit: 10 };
  const pool = new LimitedMysql(mysql.createPool, options, config);
  onTestFinished(() => pool.end());
  return pool;
}

async function limitedRedis(options: Options, enableAutoPipelining: boolean) {
  const server = await startRedis();
  const redis = new LimitedRedis(new Redis(server.url, { enableAutoPipelining }), options);
  onTestFinished(async () => {
    redis.disconnect();
    await server.close();
  });
  return redis;
}
