import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisServer, startRedis } from '../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled, fill, limitedRedis, tally, times } from './support/clients.js';
import { versions } from './support/versions.js';

let server: RedisServer;
let operator: Redis & AsyncDisposable;
beforeAll(async () => {
  server = await startRedis();
  operator = await bareRedis(versions[0]![1], server.url);
});
afterAll(async () => {
  operator.disconnect();
  await server.close();
});

describe.each(versions)('blocking commands, %s', (_name, module) => {
  test('by default they take no permits and are counted in their class', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 1 });
    const { redis, limiter } = client;
    const connections = times(3, () => redis.duplicate());
    const waits = connections.map((connection, index) =>
      [
        () => connection.blpop('q', 0),
        () => connection.xread('BLOCK', 0, 'STREAMS', 's', '$'),
        () => connection.wait(9, 0),
      ][index]!(),
    );
    await vi.waitFor(() =>
      expect(limiter.stats().classes.blocking).toMatchObject({ running: 3, inFlight: 0 }),
    );
    expect(await redis.ping()).toBe('PONG');
    await operator.lpush('q', 'v');
    expect(await waits[0]).toEqual(['q', 'v']);
    await vi.waitFor(() =>
      expect(limiter.stats().classes.blocking).toMatchObject({ running: 2, succeeded: 1 }),
    );
    for (const connection of connections) connection.disconnect();
    await tally(waits);
    await expectSettled(limiter);
  });

  test('a bulkhead is all that bounds them then, beside the limit', async () => {
    await using client = await limitedRedis(module, server.url, {
      maxConcurrentOps: 5,
      bulkheads: { blocking: 2 },
    });
    const { redis, limiter } = client;
    const release = fill(limiter);
    const waiting = redis.duplicate();
    const waits = [waiting.blpop('q', 0.2), waiting.blpop('q', 0.2)];
    await expect(waiting.blpop('q', 0.2)).rejects.toMatchObject({ reason: 'bulkhead', operation: 'blpop' });
    release();
    expect(await tally(waits)).toMatchObject({ served: 2 });
    waiting.disconnect();
    await expectSettled(limiter);
  });

  test('with blocking: limit they take permits as any command, inside their bulkhead', async () => {
    const options = { maxConcurrentOps: 3, bulkheads: { blocking: 2 }, blocking: 'limit' } as const;
    await using client = await limitedRedis(module, server.url, options);
    const { redis, limiter } = client;
    const waits = [redis.blpop('q', 0.1), redis.blpop('q', 0.1)];
    expect(limiter.inFlight).toBe(2);
    await expect(redis.blpop('q', 0.1)).rejects.toMatchObject({ reason: 'bulkhead' });
    const get = redis.get('k');
    await expect(redis.get('k')).rejects.toMatchObject({ reason: 'limit' });
    expect(await tally([...waits, get])).toMatchObject({ served: 3 });
    await expectSettled(limiter);
  });

  test.each<[way: string, admitted: number, call: (redis: Redis) => Promise<unknown>]>([
    ['a command', 1, (redis) => redis.blpop('nothing', 0)],
    ['a pipeline', 2, (redis) => redis.pipeline().ping().blpop('nothing', 0).exec()],
    ['XREAD, which ioredis always takes for blocking', 1, (redis) => redis.xread('STREAMS', 'nothing', '0')],
  ])(
    'blockingTimeout answers the caller; the permit stays until the server has answered: %s',
    async (_way, admitted, call) => {
      for (const enableAutoPipelining of [false, true]) {
        const redisOptions = { enableAutoPipelining, blockingTimeout: 30, blockingTimeoutGrace: 0 } as object;
        const limits = { maxConcurrentOps: 3, blocking: 'limit' } as const;
        await using client = await limitedRedis(module, server.url, limits, redisOptions);
        const { redis, limiter } = client;
        await operator.client('PAUSE', 150, 'ALL');
        const answer = await call(redis);
        expect([enableAutoPipelining, limiter.inFlight, limiter.stats().overloaded]).toEqual([
          enableAutoPipelining,
          admitted,
          0,
        ]);
        expect(JSON.stringify(answer)).toMatch(/null/);
        await operator.lpush('nothing', 'v');
        await expectSettled(limiter);
        expect(limiter.stats().overloaded).toBe(1);
        await operator.del('nothing');
      }
    },
  );

  test('blockingTimeout: what shares the pipeline with a blocking command that has its answer comes back at once', async () => {
    const redisOptions = { enableAutoPipelining: true, blockingTimeout: 1_000 } as object;
    await using client = await limitedRedis(module, server.url, { blocking: 'limit' }, redisOptions);
    const { redis, limiter } = client;
    const answers = [redis.ping(), redis.blpop('nothing', 0.03), redis.ping()];
    expect(await Promise.all(answers)).toEqual(['PONG', null, 'PONG']);
    await expectSettled(limiter);
    expect(limiter.stats()).toMatchObject({ overloaded: 0, classes: { command: { succeeded: 2 } } });
  });

  test.each([false, true])(
    'a loop whose blocking command is refused lets timers and sockets through (auto-pipelining %s)',
    async (enableAutoPipelining) => {
      const limits = { maxConcurrentOps: 1, blocking: 'limit' } as const;
      await using client = await limitedRedis(module, server.url, limits, { enableAutoPipelining });
      const { redis, limiter } = client;
      const release = fill(limiter);
      const through = { timer: false, socket: false };
      setTimeout(() => {
        through.timer = true;
      }, 5);
      void operator.ping(() => {
        through.socket = true;
      });
      let refused = 0;
      let error: unknown;
      while (!(through.timer && through.socket) && refused < 100_000) {
        error = await redis.blpop('q', 0).catch((rejection) => rejection);
        refused++;
      }
      expect(through).toEqual({ timer: true, socket: true });
      expect(error).toMatchObject({
        code: 'ERR_BACKPRESSURE',
        operation: 'blpop',
        operationClass: 'blocking',
      });
      expect(limiter.stats().rejected).toBe(refused);
      release();
      await expectSettled(limiter);
      expect(await redis.blpop('q', 0.01)).toBeNull();
    },
  );

  test('drain() waits for them too, since what one has popped must not be lost; it ends with their connection', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const { redis, limiter } = client;
    const worker = redis.duplicate();
    const wait = worker.blpop('q', 0);
    await limiter.drain({ timeoutMs: 20 });
    expect(limiter.stats()).toMatchObject({ state: 'draining', inFlight: 0, running: 1 });
    const drained = limiter.drain();
    worker.disconnect();
    await expect(wait).rejects.toThrow('Connection is closed.');
    await drained;
    expect(limiter.stats().state).toBe('drained');
  });
});

test('the latency of the whole limiter leaves out what exempt blocking commands wait for data', async () => {
  for (const blocking of ['exempt', 'limit'] as const) {
    await using client = await limitedRedis(versions[0]![1], server.url, { maxConcurrentOps: 5, blocking });
    const { redis, limiter } = client;
    await redis.get('k');
    await redis.blpop('nothing', 0.3);
    const { latency, classes } = limiter.stats();
    expect(classes.blocking!.latency.p99).toBeGreaterThan(200);
    expect(latency.p99! > 200).toBe(blocking === 'limit');
  }
});
