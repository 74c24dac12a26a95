import { Limiter } from 'floodgate';
import type { Redis } from 'ioredis';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import type { RedisServer } from '../support/servers/redis/start-redis.js';
import {
  bareRedis,
  expectSettled,
  fill,
  limitedRedis,
  started,
  tally,
  times,
  untilReady,
} from './support/clients.js';
import { killBusy } from './support/kill-busy.js';
import { serverOfItsOwn } from './support/server-of-its-own.js';
import { versions } from './support/versions.js';

let server: RedisServer;
let operator: Redis & AsyncDisposable;
let other: Redis & AsyncDisposable;
serverOfItsOwn((given) => {
  ({ server, operator, other } = given);
});
beforeEach(async () => {
  await operator.set('k', 'v');
});

/** ioredis drops them, or lets them wait for ever: their promises never settle, in bare ioredis neither. */
describe.each(versions)('commands that nothing will settle, %s', (_name, module) => {
  test('handshakes that are cut off, and what was sent beside them, leave nothing behind: drain() ends', async () => {
    await using proxy = await startFaultProxy(server);
    await using client = await limitedRedis(module, throughProxy(server.url, proxy), {
      maxConcurrentOps: 20,
    });
    const { redis, limiter } = client;
    proxy.pause();
    proxy.drop();
    for (let round = 0; round < 5; round++) {
      await vi.waitFor(() => expect(redis.status).toBe('connect'), { interval: 1 });
      // Redis takes PUBLISH while it loads, so ioredis 5 writes it at once.
      started([redis.publish('channel', 'message')]);
      proxy.drop();
      await vi.waitFor(() => expect(redis.status).not.toBe('connect'), { interval: 1 });
    }
    proxy.resume();
    proxy.drop();
    await vi.waitFor(() => expect(redis.status).not.toBe('connect'), { interval: 1 });
    await untilReady(redis);
    await expectSettled(limiter);
    expect(await redis.get('k')).toBe('v');
    await limiter.drain({ timeoutMs: 1_000 });
  });

  test.each([false, true])(
    'what is called after disconnect() during a reconnect waits for a connect(), and holds nothing (auto-pipelining %s)',
    async (enableAutoPipelining) => {
      const limiter = new Limiter({ maxConcurrentOps: 5 });
      const options = { enableAutoPipelining, retryStrategy: () => 60_000 };
      await using client = await limitedRedis(module, server.url, { limiter }, options);
      const { redis } = client;
      await operator.client('KILL', 'ID', await redis.client('ID'));
      await vi.waitFor(() => expect(redis.status).toBe('reconnecting'), { interval: 1 });
      redis.disconnect();
      const calls = started([
        redis.get('k'),
        redis.pipeline().get('k').exec(),
        redis.multi().get('k').exec(),
      ]);
      await expectSettled(limiter);
      for (let round = 0; round < 10; round++) {
        started([redis.get('k')]);
        await expectSettled(limiter);
      }
      await redis.connect();
      expect(await Promise.all(calls)).toEqual(['v', [[null, 'v']], [[null, 'v']]]);
      await expectSettled(limiter);
      // For some of the later ones there was no room any more when they were sent at last.
      expect(limiter.stats().peakInFlight).toBeLessThanOrEqual(5);
    },
  );

  test('autoResendUnfulfilledCommands: false with auto-pipelining: the client is deaf after a kill, and holds nothing', async () => {
    const options = { autoResendUnfulfilledCommands: false, enableAutoPipelining: true };
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, options);
    const { redis, limiter } = client;
    await killBusy({ operator, other }, redis, () => [redis.get('k')]);
    await vi.waitFor(() => expect(redis.status).not.toBe('ready'), { interval: 1 });
    await untilReady(redis);
    for (let round = 0; round < 3; round++) {
      started(times(5, () => redis.get('k')));
      await expectSettled(limiter);
    }
    // What ioredis sends by itself still has its answer.
    expect(await redis.pipeline().get('k').exec()).toEqual([[null, 'v']]);
    await expectSettled(limiter);
    expect(limiter.stats().rejected).toBe(0);
  });

  test.each([
    ['commandTimeout', { commandTimeout: 300 }, (redis: Redis) => redis.get('k'), 'Command timed out'],
    ['blockingTimeout', { blockingTimeout: 300 }, (redis: Redis) => redis.blpop('queue', 0), null],
  ])(
    '%s answers an auto-pipeline that was dropped: what waits behind it keeps its permits, and the limit holds on',
    async (_option, timeout, call, answer) => {
      const options = { autoResendUnfulfilledCommands: false, enableAutoPipelining: true, ...timeout };
      await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, options);
      const { redis, limiter } = client;
      const [dropped] = await killBusy({ operator, other }, redis, () => [call(redis)]);
      await vi.waitFor(() => expect(redis.status).not.toBe('ready'), { interval: 1 });
      await untilReady(redis);
      await expectSettled(limiter);
      const waiting = times(8, () => redis.get('k'));
      expect(limiter.inFlight).toBe(5);
      expect(await tally(waiting)).toEqual({ served: 5, refused: 3, failures: [] });
      expect(await dropped!.catch(({ message }) => message)).toBe(answer);
      await expectSettled(limiter);
      expect(await tally(times(8, () => redis.get('k')))).toEqual({ served: 5, refused: 3, failures: [] });
      await expectSettled(limiter);
      expect(limiter.stats().peakInFlight).toBe(5);
    },
  );

  test('what had joined the next auto-pipeline before the client was ready again holds nothing either', async () => {
    const options = { autoResendUnfulfilledCommands: false, enableAutoPipelining: true };
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, options);
    const { redis, limiter } = client;
    await killBusy({ operator, other }, redis, () => [redis.get('k')]);
    await vi.waitFor(() => expect(redis.status).toBe('reconnecting'), { interval: 1 });
    started(times(4, () => redis.get('k')));
    await expect(redis.get('k')).rejects.toMatchObject({ reason: 'limit' });
    await untilReady(redis);
    await expectSettled(limiter);
    expect(limiter.stats().classes.command).toMatchObject({ ignored: 5, rejected: 1 });
    expect(await redis.pipeline().get('k').exec()).toEqual([[null, 'v']]);
    await limiter.drain({ timeoutMs: 1_000 });
    expect(limiter.stats().state).toBe('drained');
  });

  test('blockingTimeout makes up an answer; the permit stays until the server’s, also over a reconnect', async () => {
    const options = { blockingTimeout: 30 };
    const limits = { maxConcurrentOps: 5, blocking: 'limit' } as const;
    await using client = await limitedRedis(module, server.url, limits, options);
    const { redis, limiter } = client;
    const id = await redis.client('ID');
    expect(await redis.blpop('queue', 0)).toBeNull();
    expect(limiter.inFlight).toBe(1);
    await operator.client('KILL', 'ID', id);
    await vi.waitFor(() => expect(redis.status).not.toBe('ready'), { interval: 1 });
    await untilReady(redis);
    // It waits in the server again.
    expect(redis.commandQueue.length).toBe(1);
    expect(limiter.inFlight).toBe(1);
    await operator.rpush('queue', 'v');
    await expectSettled(limiter);
    expect(limiter.stats().classes.blocking).toMatchObject({ overloaded: 1, succeeded: 0 });
  });
});

describe.each(versions)('what ioredis sends again by itself, %s', (_name, module) => {
  test.each([false, true])(
    'with reconnectOnError: a pipeline that holds the whole limit is not refused half-way (auto-pipelining %s)',
    async (enableAutoPipelining) => {
      const options = {
        enableAutoPipelining,
        reconnectOnError: ({ message }: Error) => {
          if (!message.startsWith('WRONGTYPE')) return false;
          void operator.del('set');
          return 2 as const;
        },
      };
      await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 2 }, options);
      const { redis, limiter } = client;
      const answers = [
        () => redis.pipeline().get('k').sadd('set', 'a').exec(),
        () => redis.multi().get('k').exec(),
        () => Promise.all([redis.sadd('set', 'a'), redis.get('k')]),
      ];
      const seen: unknown[] = [];
      for (const call of answers) {
        await operator.set('set', 'a string');
        seen.push(await call());
        await expectSettled(limiter);
      }
      expect(seen).toEqual([
        [
          [null, 'v'],
          [null, 1],
        ],
        [[null, 'v']],
        [1, 'v'],
      ]);
      expect(limiter.stats()).toMatchObject({ rejected: 0, peakInFlight: 2 });
    },
  );

  test('after a disconnect() and a connect(), what was on the wire is sent even at a full limiter, and holds no more than it', async () => {
    const options = { retryStrategy: () => 60_000 };
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, options);
    const { redis, limiter } = client;
    const calls = await killBusy({ operator, other }, redis, () => times(5, () => redis.incr('counter')));
    await vi.waitFor(() => expect(redis.status).toBe('reconnecting'), { interval: 1 });
    redis.disconnect();
    await expectSettled(limiter);
    const release = fill(limiter);
    await redis.connect();
    expect(await tally(calls)).toEqual({ served: 5, refused: 0, failures: [] });
    expect(limiter.stats()).toMatchObject({ inFlight: 5, peakInFlight: 5 });
    release();
    await expectSettled(limiter);
  });

  test('a command that can not be made throws at a full limiter what it throws bare', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    await using bare = await bareRedis(module, server.url);
    const release = fill(client.limiter);
    const messages = [bare, client.redis].map((redis) => {
      try {
        (redis.get as (key: unknown) => Promise<unknown>)(Symbol('x')).catch(() => {});
        return 'a promise';
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(messages[1]).toBe(messages[0]);
    release();
    await expectSettled(client.limiter);
  });
});
