import { Limiter } from 'floodgate';
import type { Redis } from 'ioredis';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisServer } from '../support/servers/redis/start-redis.js';
import { expectSettled, fill, limitedRedis, started, tally, times, untilReady } from './support/clients.js';
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
  test('P14: commandTimeout frees no permit: two waves on a paused server leave no more than the limit on the wire', async () => {
    await using client = await limitedRedis(
      module,
      server.url,
      { maxConcurrentOps: 5 },
      { commandTimeout: 20 },
    );
    await operator.client('PAUSE', 150, 'ALL');
    const first = await tally(times(20, () => client.redis.get('k')));
    expect(first).toMatchObject({ served: 0, refused: 15 });
    expect(client.redis.commandQueue.length).toBe(5);
    expect(await tally(times(20, () => client.redis.get('k')))).toMatchObject({ refused: 20 });
    expect(client.redis.commandQueue.length).toBe(5);
    expect(client.limiter.inFlight).toBe(5);
    await operator.ping();
    await expectSettled(client.limiter);
    expect(client.limiter.stats().classes.command).toMatchObject({ overloaded: 5, succeeded: 0 });
  });

  test('commandTimeout while offline: held until the command has been sent after all', async () => {
    await using client = await limitedRedis(
      module,
      server.url,
      { maxConcurrentOps: 5 },
      { commandTimeout: 20 },
    );
    await server.stop();
    await vi.waitFor(() => expect(client.redis.status).not.toBe('ready'), { interval: 1 });
    const calls = times(10, () => client.redis.get('k'));
    expect(await tally(calls)).toMatchObject({ served: 0, refused: 5 });
    expect(client.limiter.inFlight).toBe(5);
    await server.start();
    await expectSettled(client.limiter);
    expect(await client.redis.get('k')).toBe('v');
  });

  test('a handshake that times out rejects what waits for it with its own error, and that ends it', async () => {
    await using client = await limitedRedis(
      module,
      server.url,
      { maxConcurrentOps: 5 },
      { commandTimeout: 30 },
    );
    await operator.client('KILL', 'ID', await client.redis.client('ID'));
    await vi.waitFor(() => expect(client.redis.status).toBe('reconnecting'), { interval: 1 });
    const busy = other.call('DEBUG', 'SLEEP', '0.15');
    await tally(times(5, () => client.redis.get('k')));
    await busy;
    await expectSettled(client.limiter);
    await untilReady(client.redis);
    expect(await client.redis.get('k')).toBe('v');
  });

  test('disconnect() while it reconnects: ioredis forgets what is queued, the permits come back', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 5 });
    await using client = await limitedRedis(module, server.url, { limiter }, { retryStrategy: () => 60_000 });
    await operator.client('KILL', 'ID', await client.redis.client('ID'));
    await vi.waitFor(() => expect(client.redis.status).toBe('reconnecting'), { interval: 1 });
    const { redis } = client;
    const calls = started([redis.get('k'), redis.pipeline().get('k').exec(), redis.multi().get('k').exec()]);
    expect(limiter.inFlight).toBe(3);
    client.redis.disconnect();
    await expectSettled(limiter);

    // A later connect() sends them; they are admitted once more, and nobody's permit comes back twice.
    await client.redis.connect();
    expect((await tally(calls)).failures).toEqual([]);
    await expectSettled(limiter);
    expect(limiter.stats().peakInFlight).toBeLessThanOrEqual(5);
  });

  test('and when the limiter is full at that later connect(), what was never sent is refused', async () => {
    await using client = await limitedRedis(
      module,
      server.url,
      { maxConcurrentOps: 5 },
      { retryStrategy: () => 60_000 },
    );
    await operator.client('KILL', 'ID', await client.redis.client('ID'));
    await vi.waitFor(() => expect(client.redis.status).toBe('reconnecting'), { interval: 1 });
    const calls = started([client.redis.get('k')]);
    client.redis.disconnect();
    const release = fill(client.limiter);
    await client.redis.connect();
    expect(await tally(calls)).toMatchObject({ refused: 1 });
    release();
    await expectSettled(client.limiter);
  });

  test('autoResendUnfulfilledCommands: false: ioredis drops what was on the wire, the permits come back', async () => {
    const options = { autoResendUnfulfilledCommands: false };
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 }, options);
    const { redis, limiter } = client;
    await killBusy({ operator, other }, redis, () => [
      redis.get('k'),
      redis.pipeline().get('k').exec(),
      redis.blpop('q', 0),
    ]);
    await untilReady(redis);
    await expectSettled(limiter);
    expect(await redis.get('k')).toBe('v');
  });

  test('P15: maxRetriesPerRequest flushes the queue', async () => {
    await using client = await limitedRedis(
      module,
      server.url,
      { maxConcurrentOps: 10 },
      { maxRetriesPerRequest: 0 },
    );
    const calls = await killBusy({ operator, other }, client.redis, () =>
      times(20, () => client.redis.set('k', 1)),
    );
    const { refused, failures } = await tally(calls);
    expect(refused).toBe(10);
    expect(failures).toHaveLength(10);
    await expectSettled(client.limiter);
    expect(client.limiter.stats().classes.command).toMatchObject({ overloaded: 10 });
  });

  test('P13: without an offline queue, commands fail at once and hold nothing', async () => {
    const options = { enableOfflineQueue: false, lazyConnect: true };
    await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 5 }, options);
    const { served, refused, failures } = await tally(times(20, () => client.redis.get('k')));
    expect({ served, refused, failures: new Set(failures) }).toEqual({
      served: 0,
      refused: 0,
      failures: new Set(["Stream isn't writeable and enableOfflineQueue options is false"]),
    });
    await expectSettled(client.limiter);
    expect(client.limiter.stats().overloaded).toBe(20);
  });

  test('P19: pipelines that wait offline fail at disconnect(), and hold nothing', async () => {
    await using client = await limitedRedis(module, server.url, {}, { retryStrategy: () => 20 });
    await server.stop();
    await vi.waitFor(() => expect(client.redis.status).not.toBe('ready'), { interval: 1 });
    const { redis, limiter } = client;
    const calls = [redis.pipeline().get('a').get('b').exec(), redis.multi().get('a').exec(), redis.get('x')];
    void tally(calls);
    expect(limiter.inFlight).toBe(4);
    redis.disconnect();
    await expectSettled(limiter);
    await server.start();
  });
});
