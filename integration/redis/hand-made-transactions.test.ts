import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisServer, startRedis } from '../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled, fill, limitedRedis, tally, times, untilReady } from './support/clients.js';
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

describe.each(versions)('a transaction by hand, %s', (_name, module) => {
  test('takes one permit from MULTI to EXEC; what is inside is admitted at a full limiter', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const { redis, limiter } = client;
    await redis.multi({ pipeline: false });
    const release = fill(limiter);
    await redis.set('a', 2);
    await redis.pipeline().get('a').exec();
    await redis.blpop('q', 0);
    expect(limiter.inFlight).toBe(5);
    expect(await redis.exec()).toEqual([
      [null, 'OK'],
      [null, '2'],
      [null, null],
    ]);
    release();
    await expectSettled(limiter);
    expect(limiter.stats().classes.pipeline).toMatchObject({
      admitted: 1,
      succeeded: 1,
      latency: { p50: expect.any(Number) },
    });
  });

  test('a MULTI that is refused takes what is called right after it along: nothing is done outside of the transaction', async () => {
    const limits = { maxConcurrentOps: 5, bulkheads: { pipeline: 1 } };
    await using client = await limitedRedis(module, server.url, limits);
    const { redis, limiter } = client;
    await operator.del('a');
    const permit = limiter.acquire({ operationClass: 'pipeline' });
    // As in ioredis' documentation: only the answer of EXEC is looked at.
    const calls = [
      redis.multi({ pipeline: false }),
      redis.set('a', 1),
      redis.pipeline().set('a', 2).exec(),
      redis.blpop('q', 1),
      redis.exec(),
    ];
    expect(await tally(calls)).toEqual({ served: 0, refused: 5, failures: [] });
    expect(await operator.exists('a')).toBe(0);
    // Who waits for the answer knows, and may go on without.
    await expect(redis.multi({ pipeline: false })).rejects.toMatchObject({ reason: 'bulkhead' });
    expect(await redis.set('a', 3)).toBe('OK');
    await expect(redis.exec()).rejects.toThrow('EXEC without MULTI');
    permit.release('ignored');
    await expectSettled(limiter);
    expect(limiter.stats().classes.transaction).toMatchObject({ rejected: 4 });
  });

  test('by call(), in any case: the errors among the answers of EXEC count', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const { redis, limiter } = client;
    await redis.call('MULTI');
    expect(limiter.inFlight).toBe(1);
    await redis.call('SET', 'a', 'string');
    await redis.call('LPUSH', 'a', 'v');
    const [, error] = (await redis.call('EXEC')) as unknown[];
    expect(error).toMatchObject({ message: expect.stringContaining('WRONGTYPE') });
    await expectSettled(limiter);
    expect(limiter.stats().classes.pipeline).toMatchObject({ admitted: 1, failed: 1, succeeded: 0 });
  });

  test('F5, P5: when the connection is lost in between, the client is limited as before', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const { redis, limiter } = client;
    const id = await redis.client('ID');
    await redis.multi({ pipeline: false });
    expect(limiter.inFlight).toBe(1);
    await operator.client('KILL', 'ID', id);
    await vi.waitFor(() => expect(redis.status).toBe('reconnecting'), { interval: 1 });
    await untilReady(redis);
    await expectSettled(limiter);
    expect(await tally(times(50, () => redis.get('k')))).toEqual({ served: 5, refused: 45, failures: [] });
    await expect(redis.exec()).rejects.toThrow('EXEC without MULTI');
    await expectSettled(limiter);
  });

  test('F5, P6: a MULTI that the server refuses opens nothing', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const { redis, limiter } = client;
    await operator.call('ACL', 'SETUSER', 'nomulti', 'on', 'nopass', '~*', '+@all', '-multi');
    await redis.auth('nomulti', 'x');
    await expect(redis.multi({ pipeline: false })).rejects.toThrow('NOPERM');
    await expectSettled(limiter);
    expect(await tally(times(50, () => redis.get('k')))).toMatchObject({ served: 5, refused: 45 });
  });

  test('a nested MULTI, refused by the server, leaves the outer one open', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 1 });
    const { redis, limiter } = client;
    await redis.multi({ pipeline: false });
    await expect(redis.multi({ pipeline: false })).rejects.toThrow(/nested/);
    expect(limiter.inFlight).toBe(1);
    await redis.discard();
    await expectSettled(limiter);
  });

  test('F5: a hundred of them add no listeners; WATCH and MULTI find their way', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const { redis, limiter } = client;
    const before = redis.listenerCount('close');
    for (let round = 0; round < 100; round++) {
      await redis.watch('a');
      expect(await redis.multi().set('a', round).exec()).toEqual([[null, 'OK']]);
      await redis.multi({ pipeline: false });
      await redis.discard();
    }
    expect(redis.listenerCount('close')).toBe(before);
    await expectSettled(limiter);
    expect(limiter.stats().peakInFlight).toBe(1);
  });

  test.each<[way: string, transact: (redis: Redis) => Promise<unknown>[]]>([
    ['multi().exec()', (redis) => [redis.multi().set('a', 1).exec()]],
    ['pipeline().multi()', (redis) => [redis.pipeline([['multi'], ['set', 'a', 1], ['exec']]).exec()]],
    ['by hand', (redis) => [redis.multi({ pipeline: false }), redis.set('a', 1), redis.exec()]],
  ])(
    'a WATCH that is refused takes a transaction right after it along: none is done unwatched (%s)',
    async (_way, transact) => {
      await using client = await limitedRedis(module, server.url, { bulkheads: { command: 1 } });
      const { redis, limiter } = client;
      await operator.del('a');
      const permit = limiter.acquire({ operationClass: 'command' });
      const calls = [redis.watch('a'), ...transact(redis)];
      expect(await tally(calls)).toEqual({ served: 0, refused: calls.length, failures: [] });
      expect(await operator.exists('a')).toBe(0);
      // What is no transaction is done; and who waits for the answer of WATCH knows, and may go on without.
      const plain = [redis.watch('a'), redis.pipeline().set('a', 2).exec()];
      expect(await tally(plain)).toEqual({ served: 1, refused: 1, failures: [] });
      await expect(redis.watch('a')).rejects.toMatchObject({ reason: 'bulkhead', operation: 'watch' });
      expect(await redis.multi().set('a', 3).exec()).toEqual([[null, 'OK']]);
      permit.release('ignored');
      await expectSettled(limiter);
    },
  );

  test('an exec() that is refused leaves WATCH as it is: it may be called again, or unwatch(), which is never refused', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 });
    const { redis, limiter } = client;
    await redis.watch('a');
    const transaction = redis.multi().set('a', 'mine');
    let release = fill(limiter);
    await expect(transaction.exec()).rejects.toMatchObject({ reason: 'limit' });
    release();
    await operator.set('a', 'another’s');
    expect(await transaction.exec()).toBeNull();

    await redis.watch('a');
    release = fill(limiter);
    await expect(redis.multi().set('a', 'mine').exec()).rejects.toMatchObject({ reason: 'limit' });
    await redis.unwatch();
    release();
    await operator.set('a', 'another’s again');
    expect(await redis.multi().set('a', 'next').exec()).toEqual([[null, 'OK']]);
    await expectSettled(limiter);
  });

  test('one that waits offline is one transaction when it is sent', async () => {
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 2 });
    const { redis, limiter } = client;
    await operator.client('KILL', 'ID', await redis.client('ID'));
    await vi.waitFor(() => expect(redis.status).toBe('reconnecting'), { interval: 1 });
    const calls: Promise<unknown>[] = [redis.multi({ pipeline: false }), redis.set('a', 7), redis.get('a')];
    const exec = redis.exec();
    expect(limiter.inFlight).toBe(1);
    await tally(calls);
    expect(await exec).toEqual([
      [null, 'OK'],
      [null, '7'],
    ]);
    await expectSettled(limiter);
    expect(await tally(times(5, () => redis.get('k')))).toMatchObject({ served: 2, refused: 3 });
  });
});
