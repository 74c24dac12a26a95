import type { Limiter } from 'floodgate';
import { isBackpressureError } from 'floodgate';
import { LimitedRedis, type LimitedRedisOptions } from 'floodgate/ioredis';
import type { Redis, RedisOptions } from 'ioredis';
import { expect, vi } from 'vitest';
import type { Ioredis } from './versions.js';

/** A client of one test: it is ready, its connection errors harm nobody, and it is gone when the test is. */
export interface ClientUnderTest extends AsyncDisposable {
  readonly redis: LimitedRedis<Redis>;
  readonly limiter: Limiter;
}

const QUICK: RedisOptions = { retryStrategy: () => 20, maxRetriesPerRequest: null };

export async function limitedRedis(
  { Redis }: Ioredis,
  url: string,
  options: LimitedRedisOptions,
  redisOptions: RedisOptions = {},
): Promise<ClientUnderTest> {
  const bare = new Redis(url, { ...QUICK, ...redisOptions } as { lazyConnect?: boolean });
  const redis = new LimitedRedis(bare, options) as LimitedRedis<Redis>;
  redis.on('error', () => {});
  if (redisOptions.lazyConnect !== true) await untilReady(redis);
  return { redis, limiter: redis.limiter, [Symbol.asyncDispose]: async () => redis.disconnect() };
}

export async function bareRedis(
  { Redis }: Ioredis,
  url: string,
  redisOptions: RedisOptions = {},
): Promise<Redis & AsyncDisposable> {
  const redis = new Redis(url, { ...QUICK, ...redisOptions } as { lazyConnect?: boolean }) as Redis;
  redis.on('error', () => {});
  await untilReady(redis);
  return Object.assign(redis, { [Symbol.asyncDispose]: async () => redis.disconnect() });
}

export async function untilReady(redis: { readonly status: string }): Promise<void> {
  await vi.waitFor(() => expect(redis.status).toBe('ready'), { timeout: 10_000, interval: 2 });
}

/** Takes every permit; returns what gives them back. */
export function fill(limiter: Limiter): () => void {
  const permit = limiter.acquire({ operationClass: 'filler', weight: limiter.limit - limiter.inFlight });
  return () => permit.release('ignored');
}

/** Every permit has come back, and nothing runs that would not end. */
export async function expectSettled(limiter: Limiter): Promise<void> {
  await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }), {
    timeout: 5_000,
    interval: 2,
  });
  expect(limiter.stats().doubleReleases).toBe(0);
}

export interface Tally {
  readonly served: number;
  readonly refused: number;
  /** Messages of the other errors. */
  readonly failures: readonly string[];
}

export async function tally(calls: readonly Promise<unknown>[]): Promise<Tally> {
  const results = await Promise.allSettled(calls);
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const failures = errors.filter((error) => !isBackpressureError(error)).map(({ message }) => message);
  return { served: results.length - errors.length, refused: errors.length - failures.length, failures };
}

/** Calls that are looked at later: until then, a rejection is nobody's mistake. */
export function started<T extends readonly Promise<unknown>[]>(calls: T): T {
  for (const call of calls) call.catch(() => {});
  return calls;
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
