import { Limiter } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import type { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisServer, startRedis } from '../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled, fill, limitedRedis } from './support/clients.js';
import { unhandledRejections } from './support/escaped-errors.js';
import { type Ioredis, versions } from './support/versions.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

describe.each(versions)('%s', (_name, module) => {
  test('F1: arguments reach ioredis untouched: EXEC that is only queued gets none', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 });
    const pipeline = inlineMulti(client.redis).set('a', 1).get('a');
    const queued = pipeline.exec() as unknown as typeof pipeline;
    expect(queued).toBe(pipeline);
    const results = await queued.exec();
    expect(results?.at(-1)).toEqual([null, ['OK', '1']]);
    expect(client.limiter.stats()).toMatchObject({ peakInFlight: 2, inFlight: 0 });
  });

  test('F2: a transaction that is built and never sent takes nothing', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 });
    inlineMulti(client.redis).set('a', 1).exec();
    expect(client.limiter.stats()).toMatchObject({ peakInFlight: 0, running: 0 });
  });

  test.each(['multi', 'pipeline'] as const)(
    'F3: %s() on a cluster that never connects rejects, and its permits come back',
    async (kind) => {
      const limiter = new Limiter({ maxConcurrentOps: 10 });
      const cluster = unreachableCluster(module, limiter);
      await expect(cluster[kind]().get('a').exec()).rejects.toThrow('None of startup nodes is available');
      await expectSettled(limiter);
      expect(limiter.stats()).toMatchObject({ overloaded: expect.any(Number), admitted: 1 });
    },
  );

  test('F4: a pipeline that was refused is refused again at a full limiter, and runs when there is room', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 });
    const release = fill(client.limiter);
    const pipeline = client.redis.pipeline().set('a', 'v').get('a');
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(pipeline.exec()).rejects.toMatchObject({
        code: 'ERR_BACKPRESSURE',
        operation: 'pipeline',
      });
    }
    release();
    expect(await pipeline.exec()).toEqual([
      [null, 'OK'],
      [null, 'v'],
    ]);
    await expectSettled(client.limiter);
  });

  test('a refused MULTI runs later too, by exec() and by the older execBuffer()', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 });
    for (const method of ['exec', 'execBuffer'] as const) {
      const release = fill(client.limiter);
      const multi = client.redis.multi().set('a', 'v') as ReturnType<Redis['multi']> & {
        execBuffer(): Promise<unknown>;
      };
      await expect(multi[method]()).rejects.toMatchObject({ code: 'ERR_BACKPRESSURE', operation: 'multi' });
      release();
      expect(await multi[method]()).toEqual([[null, 'OK']]);
    }
    await expectSettled(client.limiter);
  });

  test('F9: a pipeline that fails with nobody listening is an unhandled rejection, as it is bare', async () => {
    const limiter = new Limiter();
    for (const limited of [undefined, limiter]) {
      using rejections = unhandledRejections();
      const cluster = unreachableCluster(module, limited);
      cluster.pipeline().get('a').exec();
      await vi.waitFor(() => expect(rejections.messages).toEqual(['None of startup nodes is available']));
    }
    await expectSettled(limiter);
  });

  test('on a cluster that has ended before it was connected ioredis never answers: no permit is lost to that', async () => {
    const limiter = new Limiter();
    const cluster = unreachableCluster(module, limiter);
    await vi.waitFor(() => expect(cluster.status).toBe('end'));
    void cluster.pipeline().get('a').exec();
    void cluster.multi().get('a').exec();
    await expect(cluster.get('a')).rejects.toThrow('Connection is closed.');
    await expectSettled(limiter);
  });

  test('a refused pipeline calls back later, with the error alone, and tells nobody else', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 });
    using rejections = unhandledRejections();
    const release = fill(client.limiter);
    const calls: unknown[][] = [];
    void client.redis
      .pipeline()
      .get('a')
      .exec((...args) => calls.push(args));
    expect(calls).toEqual([]);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(calls[0]).toEqual([expect.objectContaining({ code: 'ERR_BACKPRESSURE' })]);
    // rate-limiter-flexible passes `true` where a callback would stand.
    const exec = client.redis.pipeline().get('a').exec as (callback: unknown) => Promise<unknown>;
    await expect(exec.call(client.redis.pipeline().get('a'), true)).rejects.toMatchObject({
      statusCode: 503,
    });
    release();
    expect(rejections.messages).toEqual([]);
  });

  describe('weights count the commands of the user', () => {
    test.each([
      ['pipeline', (redis: Redis) => redis.pipeline().get('a').get('b').exec(), 2],
      ['multi', (redis: Redis) => redis.multi().get('a').get('b').exec(), 2],
      [
        'multi with an array',
        (redis: Redis) =>
          redis
            .multi([
              ['get', 'a'],
              ['get', 'b'],
            ])
            .exec(),
        2,
      ],
      ['pipeline().multi()', (redis: Redis) => twice(inlineMulti(redis).get('a').get('b')), 2],
      ['an empty multi', (redis: Redis) => redis.multi().exec(), 1],
      ['an empty pipeline', (redis: Redis) => redis.pipeline().exec(), 0],
      [
        'more than the limit',
        (redis: Redis) => redis.pipeline(Array.from({ length: 50 }, () => ['get', 'a'])).exec(),
        10,
      ],
    ])('%s', async (_case, call, weight) => {
      await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 });
      await call(client.redis);
      expect(client.limiter.stats().peakInFlight).toBe(weight);
      await expectSettled(client.limiter);
    });

    test('or what pipelineWeight says; what it says wrong is reported once, and not heeded', async () => {
      const warnings: unknown[] = [];
      const onWarning = (warning: Error & { code?: string }) => warnings.push(warning.code);
      process.on('warning', onWarning);
      await using one = await limitedRedis(module, server.url, { pipelineWeight: () => 1 });
      await one.redis.pipeline().get('a').get('b').exec();
      expect(one.limiter.stats().peakInFlight).toBe(1);
      await using odd = await limitedRedis(module, server.url, { pipelineWeight: () => Number.NaN });
      await odd.redis.pipeline().get('a').get('b').exec();
      expect(odd.limiter.stats().peakInFlight).toBe(2);
      process.off('warning', onWarning);
      expect(warnings.every((code) => code === 'FLOODGATE_CALLBACK_THREW')).toBe(true);
    });
  });

  test('results are classified one by one: the worst decides, and only what did work is a latency sample', async () => {
    await using client = await limitedRedis(module, server.url, {});
    await client.redis.rpush('list', 'v');
    const before = client.limiter.stats().classes.pipeline;
    expect(before).toBeUndefined();
    await client.redis.pipeline().get('a').get('list').exec();
    expect(client.limiter.stats().classes.pipeline).toMatchObject({
      failed: 1,
      succeeded: 0,
      latency: { p50: undefined },
    });
    await client.redis.multi().get('a').get('list').exec();
    expect(client.limiter.stats().classes.pipeline).toMatchObject({ failed: 2 });
    await client.redis.pipeline().get('a').exec();
    expect(client.limiter.stats().classes.pipeline).toMatchObject({
      failed: 2,
      succeeded: 1,
      latency: { p50: expect.any(Number) },
    });
  });

  test('a script that the server has forgotten runs, in a pipeline and alone, at a limiter that is full since', async () => {
    await using operator = await bareRedis(module, server.url);
    await operator.set('k', 'v');
    for (const autoPipelining of [false, true]) {
      await using client = await limitedRedis(
        module,
        server.url,
        { maxConcurrentOps: 1 },
        { enableAutoPipelining: autoPipelining },
      );
      const scripted = client.redis as unknown as Redis & { readKey(key: string): Promise<string> };
      scripted.defineCommand('readKey', { numberOfKeys: 1, lua: 'return redis.call("get", KEYS[1])' });
      expect(await scripted.readKey('k')).toBe('v');
      await operator.script('FLUSH');
      expect(await scripted.readKey('k')).toBe('v');
      await operator.script('FLUSH');
      const pipeline = scripted.pipeline() as unknown as typeof scripted & { exec(): Promise<unknown> };
      void pipeline.readKey('k');
      expect(await pipeline.exec()).toEqual([[null, 'v']]);
      await expectSettled(client.limiter);
      expect(client.limiter.stats()).toMatchObject({ peakInFlight: 1, rejected: 0 });
    }
  });
});

/** There at run time, and missing in the types of pipelines. */
function inlineMulti(redis: Redis): ReturnType<Redis['pipeline']> {
  return (redis.pipeline() as unknown as Redis).multi();
}

function twice(pipeline: ReturnType<Redis['pipeline']>): Promise<unknown> {
  return (pipeline.exec() as unknown as typeof pipeline).exec();
}

function unreachableCluster({ Cluster: ClusterClass }: Ioredis, limiter?: Limiter): Cluster {
  const cluster = new ClusterClass([{ host: '127.0.0.1', port: 1 }], { clusterRetryStrategy: () => null });
  cluster.on('error', () => {});
  return limiter === undefined ? cluster : new LimitedRedis(cluster, { limiter });
}
