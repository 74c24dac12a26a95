import { setTimeout as sleep } from 'node:timers/promises';
import { isBackpressureError } from 'floodgate';
import type { Redis } from 'ioredis';
import Redlock from 'redlock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bareRedis, expectSettled, fill, limitedRedis } from '../redis/support/clients.js';
import { versions } from '../redis/support/versions.js';
import { type RedisServer, startRedis } from '../support/servers/redis/start-redis.js';
import { recordUnhandledRejections } from './support/unhandled-rejections.js';

const TTL_MS = 10_000;
/** One attempt, so that what came of it is known. */
const ONCE = { retryCount: 0 };

let server: RedisServer;
/** The operator's connection, which no limiter knows of. */
let operator: Redis & AsyncDisposable;
beforeAll(async () => {
  server = await startRedis();
  operator = await bareRedis(versions[0]![1], server.url);
});
afterAll(async () => {
  operator.disconnect();
  await server.close();
});
beforeEach(async () => {
  await operator.flushall();
  // Without its scripts redlock sends them whole, which it finds out from the answer NOSCRIPT.
  await operator.script('FLUSH');
});

/** Everything that a holder and a rival of one lock see. */
async function lockLife(redis: Redis) {
  const redlock = new Redlock([redis], ONCE);
  const lock = await redlock.lock(['locks:a', 'locks:b'], TTL_MS);
  const held = [await operator.get('locks:a'), await operator.get('locks:b')].map((v) => v === lock.value);
  const rival = await outcome(redlock.lock('locks:a', TTL_MS));
  const extended = await outcome(lock.extend(2 * TTL_MS));
  const left = await operator.pttl('locks:a');
  const unlocked = await outcome(lock.unlock());
  const again = await outcome(lock.unlock());
  const gone = await operator.exists('locks:a', 'locks:b');
  return { held, rival, extended, isLonger: left > TTL_MS && left <= 2 * TTL_MS, unlocked, again, gone };
}

/** Ten want the same lock, and count under it what they would lose without. */
async function contend(redis: Redis): Promise<string | null> {
  const redlock = new Redlock([redis], { retryCount: -1, retryDelay: 5, retryJitter: 5 });
  await operator.set('counter', 0);
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const lock = await redlock.lock('locks:counter', TTL_MS);
      const read = Number(await operator.get('counter'));
      await sleep(1);
      await operator.set('counter', read + 1);
      await lock.unlock();
    }),
  );
  return operator.get('counter');
}

describe.each(versions)('redlock over a limited client, %s', (_name, module) => {
  test('locks, extends, unlocks and loses to a rival as over a bare one', async () => {
    using unhandled = recordUnhandledRejections();
    await using bare = await bareRedis(module, server.url);
    const expected = await lockLife(bare);
    await operator.script('FLUSH');
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 1 });
    expect(await lockLife(client.redis)).toEqual(expected);
    expect(expected).toEqual({
      held: [true, true],
      rival: 'LockError: Exceeded 0 attempts to lock the resource "locks:a".',
      extended: 'done',
      isLonger: true,
      unlocked: 'done',
      again: 'LockError: Unable to fully release the lock on resource "locks:a,locks:b".',
      gone: 0,
    });
    await expectSettled(client.limiter);
    expect(client.limiter.stats()).toMatchObject({ rejected: 0, peakInFlight: 1 });
    expect(unhandled.errors).toEqual([]);
  });

  test('ten contenders exclude each other', async () => {
    await using bare = await bareRedis(module, server.url);
    expect(await contend(bare)).toBe('10');
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 20 });
    expect(await contend(client.redis)).toBe('10');
    await expectSettled(client.limiter);
    expect(client.limiter.stats().rejected).toBe(0);
  });

  test('at a full limiter no lock is given, and once there is room the next attempt has it', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const redlock = new Redlock([client.redis], { retryCount: -1, retryDelay: 5, retryJitter: 0 });
    const refusals = clientErrors(redlock);
    const release = fill(client.limiter);
    const locking = redlock.lock('locks:a', TTL_MS);
    await expect.poll(() => refusals.length).toBeGreaterThan(3);
    expect(await operator.exists('locks:a')).toBe(0);
    release();
    const lock = await locking;
    expect(lock.attempts).toBeGreaterThan(1);
    expect(await operator.get('locks:a')).toBe(lock.value);
    expect(refusals.every(isBackpressureError)).toBe(true);
    await lock.unlock();
    await expectSettled(client.limiter);
  });

  test('an unlock that is refused leaves the lock to its time, and may be tried again', async () => {
    using unhandled = recordUnhandledRejections();
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const redlock = new Redlock([client.redis], ONCE);
    const refusals = clientErrors(redlock);
    const lock = await redlock.lock('locks:a', TTL_MS);
    const release = fill(client.limiter);
    // The refusal itself is only in the event; what the caller gets has no cause.
    const error = await lock.unlock().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'LockError', message: expect.stringContaining('Unable to fully') });
    expect(isBackpressureError(error)).toBe(false);
    expect(refusals.map(isBackpressureError)).toEqual([true]);
    expect(await operator.get('locks:a')).toBe(lock.value);
    const left = await operator.pttl('locks:a');
    expect(left).toBeGreaterThan(TTL_MS - 5_000);
    release();
    await lock.unlock();
    expect(await operator.exists('locks:a')).toBe(0);
    await expectSettled(client.limiter);
    expect(unhandled.errors).toEqual([]);
  });

  test('an extension that is refused fails, and the lock keeps the time it had', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const lock = await new Redlock([client.redis], ONCE).lock('locks:a', TTL_MS);
    const release = fill(client.limiter);
    expect(await outcome(lock.extend(10 * TTL_MS))).toMatch('LockError: Exceeded 0 attempts');
    expect(await operator.pttl('locks:a')).toBeLessThanOrEqual(TTL_MS);
    release();
    await expectSettled(client.limiter);
  });

  test('redlock unlocks what it could not extend: when that finds room again, the lock is gone before its time', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const redlock = new Redlock([client.redis], ONCE);
    const lock = await redlock.lock('locks:a', TTL_MS);
    const release = fill(client.limiter);
    redlock.once('clientError', release);
    expect(await outcome(lock.extend(TTL_MS))).toMatch('LockError: Exceeded 0 attempts');
    expect(await operator.exists('locks:a')).toBe(0);
    await expectSettled(client.limiter);
  });

  test('a client with a limiter of its own unlocks and extends while the requests have filled theirs', async () => {
    await using requests = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    await using locks = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const redlock = new Redlock([locks.redis], ONCE);
    const release = fill(requests.limiter);
    const lock = await redlock.lock('locks:a', TTL_MS);
    await lock.extend(2 * TTL_MS);
    await lock.unlock();
    expect(await operator.exists('locks:a')).toBe(0);
    expect(locks.limiter.stats().rejected).toBe(0);
    release();
  });

  test('with three servers, one whose limiter is full is outvoted', async () => {
    const clients = await Promise.all(
      [1, 2, 3].map((db) => limitedRedis(module, server.url, { maxConcurrentOps: 5 }, { db })),
    );
    const redlock = new Redlock(
      clients.map(({ redis }) => redis),
      ONCE,
    );
    const refusals = clientErrors(redlock);
    const [first, second] = clients;
    const release = fill(first!.limiter);
    const lock = await redlock.lock('locks:a', TTL_MS);
    await lock.unlock();
    expect(refusals.map(isBackpressureError)).toEqual([true, true]);
    const releaseSecond = fill(second!.limiter);
    expect(await outcome(redlock.lock('locks:a', TTL_MS))).toMatch('LockError: Exceeded 0 attempts');
    release();
    releaseSecond();
    for (const client of clients) {
      expect(await client.redis.exists('locks:a')).toBe(0);
      await expectSettled(client.limiter);
      await client[Symbol.asyncDispose]();
    }
  });
});

/** What redlock's clients fail with, which it tells nobody else. */
function clientErrors(redlock: Redlock): unknown[] {
  const errors: unknown[] = [];
  redlock.on('clientError', (error) => errors.push(error));
  return errors;
}

function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(() => 'done', String);
}
