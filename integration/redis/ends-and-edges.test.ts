import type { Redis } from 'ioredis';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisServer } from '../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled, fill, limitedRedis, started, tally, times } from './support/clients.js';
import { unhandledRejections } from './support/escaped-errors.js';
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

describe.each(versions)('%s', (_name, module) => {
  test('quit() lets what was sent before it finish', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 });
    await operator.client('PAUSE', 50, 'ALL');
    const calls = times(10, () => client.redis.get('k'));
    expect(await client.redis.quit()).toBe('OK');
    expect(await tally(calls)).toMatchObject({ served: 10 });
    await expectSettled(client.limiter);
  });

  test('drain() admits nothing more, waits for what runs, and lets the connection come back meanwhile', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 });
    const { redis, limiter } = client;
    const calls = await killBusy({ operator, other }, redis, () => times(10, () => redis.get('k')));
    const drained = limiter.drain();
    await expect(redis.get('k')).rejects.toMatchObject({ reason: 'draining' });
    await expect(redis.pipeline().get('k').exec()).rejects.toMatchObject({ reason: 'draining' });
    await expect(redis.blpop('q', 1)).rejects.toMatchObject({ reason: 'draining' });
    expect(await tally(calls)).toMatchObject({ served: 10 });
    await drained;
    expect(limiter.stats().state).toBe('drained');
  });

  test('F8, P10: arguments that can not be written throw as they do bare, and cost no permit', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    await using bare = await bareRedis(module, server.url);
    // The promise of a command that could not even be made rejects, and nobody has it.
    using _ = unhandledRejections();
    const ways = [bare, client.redis].map((redis) => {
      const get = redis.get.bind(redis) as (key: unknown) => Promise<unknown>;
      return [Symbol('x'), Object.create(null)].map((argument) => {
        try {
          get(argument).catch(() => {});
          return 'a promise';
        } catch (error) {
          return `throws: ${(error as Error).message}`;
        }
      });
    });
    expect(ways[1]).toEqual(ways[0]);
    await expectSettled(client.limiter);
  });

  test('refusals reach callbacks later and unhandledRejection once each; an answer’s error does too', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const release = fill(client.limiter);
    const errors: unknown[] = [];
    void client.redis.get('k', (error) => errors.push(error));
    expect(errors).toEqual([]);
    await vi.waitFor(() => expect(errors).toEqual([expect.objectContaining({ code: 'ERR_BACKPRESSURE' })]));
    using rejections = unhandledRejections();
    void client.redis.get('k');
    await vi.waitFor(() => expect(rejections.messages).toHaveLength(1));
    release();
    void client.redis.lpush('k', 'v');
    await vi.waitFor(() => expect(rejections.messages.at(-1)).toMatch('WRONGTYPE'));
    expect(rejections.messages).toHaveLength(2);
  });

  test('the wait in the offline queue is pool wait, and no latency', async () => {
    await using client = await limitedRedis(module, server.url, {});
    expect(client.limiter.stats().poolWait.p95).toBeUndefined();
    await server.stop();
    await vi.waitFor(() => expect(client.redis.status).not.toBe('ready'), { interval: 1 });
    const began = performance.now();
    const call = client.redis.get('k');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.start();
    await call;
    const took = performance.now() - began;
    const { poolWait, classes } = client.limiter.stats();
    expect(poolWait.p95).toBeGreaterThan(90);
    expect(poolWait.p95).toBeLessThan(took * 1.1);
    expect(classes.command!.latency.p99).toBeLessThan(50);
  });

  test('a client that is limited while commands wait in it never refuses those', async () => {
    const bare = await bareRedis(module, server.url);
    await server.stop();
    await vi.waitFor(() => expect(bare.status).not.toBe('ready'), { interval: 1 });
    const before = started(times(20, () => bare.get('k')));
    const { LimitedRedis } = await import('floodgate/ioredis');
    const redis = new LimitedRedis(bare, { maxConcurrentOps: 5 });
    const after = started(times(20, () => redis.get('k')));
    await server.start();
    expect(await tally(before)).toMatchObject({ served: 20 });
    expect(await tally(after)).toEqual({ served: 5, refused: 15, failures: [] });
    await expectSettled(redis.limiter);
    redis.disconnect();
  });
});
