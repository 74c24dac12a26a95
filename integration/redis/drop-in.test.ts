import { Limiter } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled, fill, limitedRedis, tally, times, untilReady } from './support/clients.js';
import { startHimportDouble } from './support/himport-double.js';
import { type Ioredis, versions } from './support/versions.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

describe.each(versions)('%s', (_name, module) => {
  test('P16: the object is the client: same identity, class, keys, names and lengths; its prototype is untouched', () => {
    const before = Object.getOwnPropertyNames(module.Redis.prototype);
    const { sendCommand } = module.Redis.prototype;
    for (const bare of [
      new module.Redis({ lazyConnect: true }),
      new module.Cluster([1], { lazyConnect: true }),
    ]) {
      const keys = Object.keys(bare);
      const inherited = Object.getPrototypeOf(bare);
      const redis = new LimitedRedis(bare);
      expect(redis).toBe(bare);
      expect(Object.keys(redis)).toEqual(keys);
      expect(Object.getPrototypeOf(redis)).toBe(inherited);
      for (const method of [
        'sendCommand',
        'pipeline',
        'multi',
        'duplicate',
        'disconnect',
        'quit',
        'nodes',
      ] as const) {
        const ours = (redis as unknown as Record<string, (() => unknown) | undefined>)[method];
        expect([ours?.name, ours?.length]).toEqual([inherited[method]?.name, inherited[method]?.length]);
      }
    }
    expect(Object.getOwnPropertyNames(module.Redis.prototype)).toEqual(before);
    expect(module.Redis.prototype.sendCommand).toBe(sendCommand);
  });

  test('a class or an instance comes in; instanceof holds on both sides', async () => {
    const made = new LimitedRedis(module.Redis, { maxConcurrentOps: 3, name: 'cache' }, server.port, {
      keyPrefix: 'app:',
    });
    expect(made).toBeInstanceOf(module.Redis);
    expect(made).toBeInstanceOf(LimitedRedis);
    expect(new module.Redis({ lazyConnect: true })).not.toBeInstanceOf(LimitedRedis);
    expect(made.limiter.stats()).toMatchObject({ name: 'cache', limit: 3 });
    await made.set('k', 'v');
    await using bare = await bareRedis(module, server.url);
    expect(await bare.get('app:k')).toBe('v');
    made.disconnect();
    expect(new LimitedRedis(module.Redis, {}, { lazyConnect: true }).limiter.name).toBe('redis');
  });

  test('P18: wrapped twice it is the same, and counts once; two limiters are an error', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 5 });
    await using client = await limitedRedis(module, server.url, { limiter });
    expect(new LimitedRedis(client.redis)).toBe(client.redis);
    expect(new LimitedRedis(client.redis, { limiter })).toBe(client.redis);
    expect(await tally(times(20, () => client.redis.get('k')))).toMatchObject({ served: 5, refused: 15 });
    expect(() => new LimitedRedis(client.redis, { limiter: new Limiter() })).toThrow(
      'floodgate: limiter must be the same for a client that is wrapped already (by LimitedRedis), got an object (Limiter)',
    );
  });

  test('P17: a subclass that overrides sendCommand, limited in its constructor, is called after admission', async () => {
    let seen = 0;
    class Counting extends module.Redis {
      override sendCommand(...args: Parameters<Ioredis['Redis']['prototype']['sendCommand']>) {
        seen++;
        return super.sendCommand(...args);
      }
    }
    const redis = new LimitedRedis(Counting, { maxConcurrentOps: 5 }, server.port);
    await untilReady(redis);
    seen = 0;
    expect(await tally(times(20, () => redis.get('k')))).toMatchObject({ served: 5, refused: 15 });
    expect(seen).toBe(5);
    redis.disconnect();
  });

  test('what is no client of ioredis is refused with all that is to be known', () => {
    const rule = 'floodgate: the client must be Redis or Cluster of ioredis, or one of their instances, got';
    const pipeline = new module.Redis({ lazyConnect: true }).pipeline();
    for (const [value, shown] of [
      [undefined, 'undefined'],
      ['redis://localhost', "'redis://localhost' (string)"],
      [{}, 'an object (Object)'],
      [pg.Pool, 'function BoundPool'],
      [module.Command, 'function Command'],
      [pipeline, 'an object (Pipeline)'],
    ] as const) {
      expect(() => new LimitedRedis(value as never)).toThrow(new TypeError(`${rule} ${shown}`));
    }
    const bare = new module.Redis({ lazyConnect: true });
    expect(() => new LimitedRedis(bare, {}, ...([{ db: 1 }] as unknown as []))).toThrow(
      "floodgate: the client's own options must be absent for a client that exists (give the class, Redis or Cluster, to have one made), got an object (Object)",
    );
  });

  test('options are checked before a client is made', () => {
    const wrong = (options: object) => () => new LimitedRedis(module.Redis, options);
    expect(wrong({ blocking: 'free' })).toThrow(
      new RangeError("floodgate: blocking must be one of 'exempt', 'limit', got 'free' (string)"),
    );
    expect(wrong({ pipelineWeight: 3 })).toThrow(
      'floodgate: pipelineWeight must be a function, got 3 (number)',
    );
    expect(wrong({ limitDuplicates: 'no' })).toThrow('limitDuplicates must be a boolean');
    expect(wrong({ maxConcurentOps: 3 })).toThrow("did you mean 'maxConcurrentOps'?");
    expect(wrong({ host: 'localhost' })).toThrow("ioredis' own options stand after these");
    expect(wrong({ adaptive: { sheddable: ['command', 'scan'] } })).toThrow(
      "floodgate: unknown class in adaptive.sheddable 'scan' (known: command, pipeline, blocking)",
    );
    expect(wrong({ bulkheads: { query: 3 } })).toThrow(
      "floodgate: unknown class in bulkheads 'query' (known: command, pipeline, blocking)",
    );
    expect(wrong({ limiter: new Limiter(), maxConcurrentOps: 3 })).toThrow("absent beside 'limiter'");
  });

  test('bulkheads cap commands and pipelines inside the limit', async () => {
    await using client = await limitedRedis(module, server.url, {
      maxConcurrentOps: 10,
      bulkheads: { command: 2, pipeline: 4 },
    });
    expect(await tally(times(5, () => client.redis.get('k')))).toMatchObject({ served: 2, refused: 3 });
    const pipelines = times(3, () =>
      client.redis
        .pipeline([
          ['get', 'a'],
          ['get', 'b'],
        ])
        .exec(),
    );
    expect(await tally(pipelines)).toMatchObject({ served: 2, refused: 1 });
    expect(client.limiter.stats().rejectedByReason).toEqual({ bulkhead: 4 });
  });

  test('events, transformers and instrumentation that is put on the prototype later work as ever', async () => {
    const seen: string[] = [];
    const redis = new LimitedRedis(module.Redis, {}, server.port);
    for (const event of ['connect', 'ready', 'close', 'end']) redis.on(event, () => seen.push(event));
    await untilReady(redis);
    await redis.hset('hash', { field: 'v' });
    expect(await redis.hgetall('hash')).toEqual({ field: 'v' });
    const { sendCommand } = module.Redis.prototype;
    let calls = 0;
    module.Redis.prototype.sendCommand = function (...args) {
      calls++;
      return sendCommand.apply(this, args);
    };
    try {
      await redis.get('k');
    } finally {
      module.Redis.prototype.sendCommand = sendCommand;
    }
    expect(calls).toBe(1);
    await redis.quit();
    await expect.poll(() => seen).toEqual(['connect', 'ready', 'close', 'end']);
    await expectSettled(redis.limiter);
  });
});

test('HIMPORT of version 6: what prepares a connection passes at limit 1', async () => {
  await using double = await startHimportDouble();
  const options = { himportFieldsets: [{ name: 'users', fields: ['name', 'age'] }], protocol: 2 } as object;
  await using client = await limitedRedis(
    versions[0]![1],
    `redis://127.0.0.1:${double.port}`,
    { maxConcurrentOps: 1 },
    options,
  );
  const { redis, limiter } = client;
  expect(await redis.call('HIMPORT', 'SET', 'user:1', 'users', 'Ada', '36')).toBe('OK');
  // The server forgets the field set; ioredis prepares it again, while the SET holds the only permit.
  double.forget();
  expect(await redis.call('HIMPORT', 'SET', 'user:2', 'users', 'Ada', '36')).toBe('OK');
  const release = fill(limiter);
  await redis.call('HIMPORT', 'DISCARD', 'users');
  await expect(redis.call('HIMPORT', 'SET', 'user:3', 'users', 'Ada', '36')).rejects.toMatchObject({
    reason: 'limit',
  });
  release();
  await expectSettled(limiter);
  expect(limiter.stats()).toMatchObject({ peakInFlight: 1 });
  expect(double.prepared).toBeGreaterThanOrEqual(2);
});
