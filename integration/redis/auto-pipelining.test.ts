import type { Redis, RedisOptions } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RedisServer } from '../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled, fill, limitedRedis, started, tally, times } from './support/clients.js';
import { unhandledRejections } from './support/escaped-errors.js';
import { startFilledRedis } from './support/filled-server.js';
import { versions } from './support/versions.js';

const AUTO: RedisOptions = { enableAutoPipelining: true };
let server: RedisServer;
beforeAll(async () => {
  server = await startFilledRedis();
});
afterAll(() => server.close());

describe.each(versions)('%s', (_name, module) => {
  test('commands are admitted before they join the shared pipeline', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 }, AUTO);
    const calls = times(50, () => client.redis.get('k0'));
    expect(client.limiter.inFlight).toBe(10);
    expect(client.redis.autoPipelineQueueSize).toBe(10);
    expect(await tally(calls)).toEqual({ served: 10, refused: 40, failures: [] });
    await expectSettled(client.limiter);
    expect(client.limiter.stats().classes.command).toMatchObject({
      admitted: 10,
      rejected: 40,
      succeeded: 10,
    });
  });

  test('everybody gets his own answer, with refused and failed ones in between', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 7 }, AUTO);
    const keys = ['k0', 'k1', 'list', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8'];
    const results = await Promise.allSettled(keys.map((key) => client.redis.get(key)));
    const seen = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.name));
    expect(seen).toEqual([
      'v0',
      'v1',
      'ReplyError',
      'v3',
      'v4',
      'v5',
      'v6',
      'BackpressureError',
      'BackpressureError',
    ]);
    expect(client.limiter.stats().classes.command).toMatchObject({ failed: 1, succeeded: 6 });
  });

  test('F6: what ioredis does not auto-pipeline is counted once, on an idle client of limit 1', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 1 }, AUTO);
    for (const call of [
      () => client.redis.call('info', 'server'),
      () => client.redis.info('server'),
      () => client.redis.call('script', 'flush'),
      () => client.redis.config('GET', 'maxmemory'),
      () => client.redis.call('get', 'k0'),
      () => client.redis.select(0),
    ]) {
      await call();
      await expectSettled(client.limiter);
    }
    expect(client.limiter.stats()).toMatchObject({ peakInFlight: 1, rejected: 0 });
  });

  test('F7: scripts of the constructor option, and commands that are defined later, are limited', async () => {
    const definition = { numberOfKeys: 1, lua: 'return redis.call("get", KEYS[1])' };
    const options = { ...AUTO, scripts: { first: definition } };
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, options);
    client.redis.defineCommand('second', definition);
    for (const name of ['first', 'second'] as const) {
      const redis = client.redis as unknown as Record<typeof name, (key: string) => Promise<string>>;
      expect(await tally(times(50, () => redis[name]('k0')))).toEqual({
        served: 5,
        refused: 45,
        failures: [],
      });
      await expectSettled(client.limiter);
    }
  });

  test('P9: arguments that can not be written end as they do bare, and cost no permit', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, AUTO);
    await using bare = await bareRedis(module, server.url, AUTO);
    const ways = [];
    for (const redis of [bare, client.redis]) {
      const get = redis.get.bind(redis) as (key: unknown) => Promise<unknown>;
      ways.push(await get(Symbol('x')).then(String, (error) => `rejects: ${error.message}`));
    }
    expect(ways[1]).toBe(ways[0]);
    await expectSettled(client.limiter);
  });

  test('refusals: the callback gets one later; a promise nobody looks at is an unhandled rejection', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, AUTO);
    const release = fill(client.limiter);
    const errors: unknown[] = [];
    void client.redis.get('k0', (error) => errors.push(error));
    expect(errors).toEqual([]);
    await vi.waitFor(() => expect(errors).toEqual([expect.objectContaining({ code: 'ERR_BACKPRESSURE' })]));
    using rejections = unhandledRejections();
    void client.redis.get('k0');
    await vi.waitFor(() => expect(rejections.messages).toHaveLength(1));
    release();
  });

  test('pipelines and transactions of the user’s are admitted whole beside it', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 4 }, AUTO);
    const calls: Promise<unknown>[] = [
      client.redis.get('k0'),
      client.redis.pipeline().get('k1').get('k2').exec(),
      client.redis.multi().get('k3').exec(),
      client.redis.get('k4'),
    ];
    expect(client.limiter.inFlight).toBe(4);
    expect(await tally(calls)).toEqual({ served: 3, refused: 1, failures: [] });
    await expectSettled(client.limiter);
  });

  test('discard() ends a transaction by hand (exec() can not in ioredis: it would execute the shared pipeline)', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 1 }, AUTO);
    await client.redis.multi({ pipeline: false });
    const calls: Promise<unknown>[] = [
      client.redis.get('k0'),
      client.redis.get('k1'),
      client.redis.discard(),
    ];
    expect((await tally(calls)).served).toBe(3);
    await expectSettled(client.limiter);
    expect(client.limiter.stats()).toMatchObject({ peakInFlight: 1, rejected: 0 });
    expect(await tally([client.redis.get('k0'), client.redis.get('k1')])).toMatchObject({
      served: 1,
      refused: 1,
    });
  });

  test('the errors among the answers of an EXEC in the shared pipeline count; so does an EXEC that is refused', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, AUTO);
    const { redis, limiter } = client;
    const outcomes = () => limiter.stats().classes.pipeline;
    const transact = async (...args: string[]) => {
      const calls = started([
        redis.multi({ pipeline: false }),
        redis.call(...(args as [string])),
        redis.call('EXEC'),
      ]);
      await Promise.allSettled(calls);
      await expectSettled(limiter);
      return calls[2];
    };
    expect(await transact('GET', 'k0')).toEqual(['v0']);
    expect(outcomes()).toMatchObject({ admitted: 1, succeeded: 1 });
    expect(await transact('GET', 'list')).toEqual([expect.objectContaining({ name: 'ReplyError' })]);
    expect(outcomes()).toMatchObject({ admitted: 2, succeeded: 1, failed: 1 });
    await expect(transact('GET')).rejects.toThrow('EXECABORT');
    expect(outcomes()).toMatchObject({ admitted: 3, succeeded: 1, failed: 2 });
  });

  test('the readiness check passes a full limiter after a kill (a first version of F6 refused it)', async () => {
    await using operator = await bareRedis(module, server.url);
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, AUTO);
    const id = await client.redis.client('ID');
    const release = fill(client.limiter);
    await operator.client('KILL', 'ID', id);
    await vi.waitFor(() => expect(client.redis.status).not.toBe('ready'), { interval: 1 });
    await vi.waitFor(() => expect(client.redis.status).toBe('ready'));
    release();
    expect(await (client.redis as Redis).get('k0')).toBe('v0');
  });

  test('a MULTI in the shared pipeline that the server refuses opens no transaction: the limit holds on', async () => {
    await using operator = await bareRedis(module, server.url);
    await operator.call('ACL', 'SETUSER', 'nomulti', 'on', '>secret', '~*', '+@all', '-multi');
    const user = { ...AUTO, username: 'nomulti', password: 'secret' };
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 3 }, user);
    // ioredis sends `multi` apart from the others, and `MULTI` with them.
    await expect(client.redis.call('MULTI')).rejects.toThrow(/NOPERM/);
    await expectSettled(client.limiter);
    expect(await tally(times(5, () => client.redis.get('k0')))).toEqual({
      served: 3,
      refused: 2,
      failures: [],
    });
    await expectSettled(client.limiter);
  });
});
