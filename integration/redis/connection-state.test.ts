import { Limiter } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisServer, startRedis } from '../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled, fill, limitedRedis, untilReady } from './support/clients.js';
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

describe.each(versions)('%s', (_name, module) => {
  test('what keeps a connection passes a full limiter, counted in classes of its own', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, { db: 2 });
    const { redis, limiter } = client;
    const release = fill(limiter);
    await redis.select(3);
    await redis.client('SETNAME', 'floodgate');
    await redis.unwatch();
    await redis.subscribe('channel');
    await redis.unsubscribe('channel');
    const monitor = await redis.monitor();
    monitor.disconnect();
    expect(limiter.stats().classes.connection).toMatchObject({ rejected: 0, inFlight: 0 });
    expect(limiter.stats().classes.subscription).toMatchObject({ admitted: 2, succeeded: 2 });
    release();
    await expectSettled(limiter);
  });

  test('a server that refuses CLIENT SETINFO of the handshake (before 7.2 all do) has failed at nothing', async () => {
    await operator.call('ACL', 'SETUSER', 'noclient', 'on', '>secret', '~*', '+@all', '-client');
    const user = { username: 'noclient', password: 'secret' };
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, user);
    const { redis, limiter } = client;
    await redis.set('k', 'v');
    await expectSettled(limiter);
    expect(limiter.stats()).toMatchObject({ failed: 0, ignored: 2, classes: { connection: { ignored: 2 } } });
    await expect(redis.client('ID')).rejects.toThrow('NOPERM');
    expect(limiter.stats()).toMatchObject({ failed: 1, ignored: 2 });
  });

  test('INFO of the user is limited, online and off; the ready check is not', async () => {
    await using client = await limitedRedis(
      module,
      server.url,
      { maxConcurrentOps: 5 },
      { lazyConnect: true },
    );
    const { redis, limiter } = client;
    const release = fill(limiter);
    await expect(redis.info()).rejects.toMatchObject({ code: 'ERR_BACKPRESSURE' });
    // Nothing was sent, so nothing has connected either.
    expect(redis.status).toBe('wait');
    await redis.connect();
    await expect(redis.info()).rejects.toMatchObject({ code: 'ERR_BACKPRESSURE' });
    release();
  });

  test('a full limiter does not keep a killed connection from coming back, with its db and its subscriptions', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 5 });
    await using client = await limitedRedis(module, server.url, { limiter }, { db: 3 });
    const subscriber = client.redis.duplicate();
    await subscriber.subscribe('channel');
    await client.redis.set('only-in-3', 'v');
    const release = fill(limiter);
    const list = (await operator.client('LIST')) as string;
    for (const [, id] of list.matchAll(/^id=(\d+) .*db=3 /gm)) await operator.client('KILL', 'ID', id!);
    await vi.waitFor(() => expect(client.redis.status).toBe('reconnecting'), { interval: 1 });
    await untilReady(client.redis);
    await untilReady(subscriber);
    const message = new Promise((resolve) => subscriber.once('message', (_channel, text) => resolve(text)));
    await vi.waitFor(async () => expect(await operator.publish('channel', 'hello')).toBe(1));
    expect(await message).toBe('hello');
    release();
    expect(await client.redis.get('only-in-3')).toBe('v');
    subscriber.disconnect();
    await expectSettled(limiter);
  });

  test('a subscriber’s commands are ioredis’ business', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 1 }, {
      protocol: 2,
    } as object);
    const { redis, limiter } = client;
    await redis.subscribe('channel');
    const release = fill(limiter);
    await expect(redis.get('k')).rejects.toThrow('subscriber mode');
    await redis.ping();
    release();
    await expectSettled(limiter);
  });

  test('P20: monitor() leaves nothing behind', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const monitor = await client.redis.monitor();
    const seen = new Promise((resolve) => monitor.once('monitor', (_time, args) => resolve(args)));
    await client.redis.get('seen');
    expect(await seen).toEqual(['get', 'seen']);
    monitor.disconnect();
    await expectSettled(client.limiter);
  });
});

test('duplicates are limited by the same limiter, unless told otherwise', async () => {
  const [, module] = versions[0]!;
  await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
  const copy = client.redis.duplicate() as LimitedRedis<Redis>;
  expect(copy).toBeInstanceOf(LimitedRedis);
  expect(copy.limiter).toBe(client.limiter);
  expect((copy.duplicate() as LimitedRedis<Redis>).limiter).toBe(client.limiter);
  await using free = await limitedRedis(module, server.url, { maxConcurrentOps: 5, limitDuplicates: false });
  expect(free.redis.duplicate()).not.toBeInstanceOf(LimitedRedis);
  copy.disconnect();
});

test('a pipeline that is refused says how many permits it needs', async () => {
  await using client = await limitedRedis(versions[0]![1], server.url, {
    maxConcurrentOps: 5,
    name: 'redis',
  });
  const permit = client.limiter.acquire({ weight: 3 });
  const refused = client.redis.pipeline().get('k').get('k').get('k').exec();
  await expect(refused).rejects.toMatchObject({
    message: 'redis: pipeline rejected, it needs 3 permits, 2 of 5 are free (3 in flight, limit 5)',
    weight: 3,
  });
  permit.release();
});

test('a subclass that returns one duplicate twice, or limits it itself: it is limited once, and loses no permit', async () => {
  const { Redis: Base } = versions[0]![1];
  class Cached extends Base {
    twin: Redis | undefined;
    override duplicate(...args: Parameters<Redis['duplicate']>) {
      this.twin ??= super.duplicate(...args) as Redis;
      return this.twin;
    }
  }
  class Limiting extends Base {
    override duplicate(...args: Parameters<Redis['duplicate']>) {
      return new LimitedRedis(super.duplicate(...args) as Redis, { limiter: shared });
    }
  }
  const shared = new Limiter({ maxConcurrentOps: 10 });
  for (const Class of [Cached, Limiting]) {
    const redis = new LimitedRedis(Class, { limiter: shared }, server.url);
    const first = redis.duplicate();
    const copy = redis.duplicate();
    await untilReady(copy);
    await expectSettled(shared);
    const pipeline = copy.pipeline();
    for (let index = 0; index < 6; index++) pipeline.set('k', 'v');
    const done = pipeline.exec();
    expect(shared.inFlight).toBe(6);
    expect(await done).toHaveLength(6);
    await expectSettled(shared);
    redis.disconnect();
    first.disconnect();
    copy.disconnect();
  }
  expect(shared.stats()).toMatchObject({ peakInFlight: 6, rejected: 0 });
});
