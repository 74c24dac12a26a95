import type { Redis } from 'ioredis';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisServer } from '../support/servers/redis/start-redis.js';
import { expectSettled, fill, limitedRedis } from './support/clients.js';
import { type Path, paths } from './support/paths.js';
import { serverOfItsOwn } from './support/server-of-its-own.js';
import { type Ioredis, versions } from './support/versions.js';

const LIMIT = 5;
let server: RedisServer;
/** The operator's connection, which no limiter knows of. */
let operator: Redis & AsyncDisposable;
let other: Redis & AsyncDisposable;
serverOfItsOwn((given) => {
  ({ server, operator, other } = given);
});

beforeEach(async () => {
  await operator.set('right', 'v');
  await operator.rpush('wrong', 'v');
  await operator.hset('hash-right', 'field', 'v');
  await operator.set('hash-wrong', 'v');
  await operator.set('stream-wrong', 'v');
});

describe.each(versions)('%s', (_name, module) => {
  describe.each(paths)('$name', (path) => {
    test('served: its permits come back', async () => {
      await using client = await open(module, path);
      await path.call(client.redis, 'right', module);
      expect(client.limiter.stats()).toMatchObject({ peakInFlight: path.weight, rejected: 0 });
      await expectServing(client, path, module);
    });

    test('an error reply is no overload, and passes through', async () => {
      await using client = await open(module, path);
      await expect(path.call(client.redis, 'wrong', module)).rejects.toThrow(/WRONGTYPE/);
      await expectServing(client, path, module);
      expect(client.limiter.stats()).toMatchObject({ overloaded: 0 });
      expect(client.limiter.stats().failed).toBeGreaterThanOrEqual(1);
    });

    test('refused at a full limiter with nothing sent, and served when there is room', async () => {
      await using client = await open(module, path);
      const before = await commandsProcessed();
      const release = fill(client.limiter);
      await expect(path.call(client.redis, 'right', module)).rejects.toMatchObject({
        code: 'ERR_BACKPRESSURE',
        reason: 'limit',
        limiter: 'redis',
      });
      expect((await commandsProcessed()) - before).toBeLessThanOrEqual(1);
      release();
      await expectServing(client, path, module);
    });

    test('the connection is killed under it', async () => {
      await using client = await open(module, path);
      const id = await client.redis.client('ID');
      // The server is busy meanwhile, so that the kill comes while the answer is awaited.
      const busy = other.call('DEBUG', 'SLEEP', '0.03');
      const killed = operator.client('KILL', 'ID', id);
      await Promise.allSettled([path.call(client.redis, 'right', module), busy, killed]);
      await expectServing(client, path, module);
    });

    test('the server pauses: its permits stay taken until it answers', async () => {
      await using client = await open(module, path);
      await operator.client('PAUSE', 60, 'ALL');
      const answer = path.call(client.redis, 'right', module);
      // A stream begins to read on the next tick.
      await vi.waitFor(() => expect(client.limiter.inFlight).toBe(path.weight), { interval: 1 });
      await answer;
      await expectServing(client, path, module);
    });

    test('commandTimeout answers the caller, the server later gives the permits back', async () => {
      await using client = await open(module, path, { commandTimeout: 20 });
      await operator.client('PAUSE', 100, 'ALL');
      await expect(path.call(client.redis, 'right', module)).rejects.toThrow('Command timed out');
      expect(client.limiter.inFlight).toBe(path.weight);
      await operator.ping();
      await expectServing(client, path, module);
      expect(client.limiter.stats().overloaded).toBeGreaterThanOrEqual(1);
    });

    test('the server is stopped and started', async () => {
      await using client = await open(module, path);
      await server.stop();
      const answer = path.call(client.redis, 'right', module);
      expect(client.limiter.inFlight).toBeLessThanOrEqual(path.weight);
      await server.start();
      await Promise.allSettled([answer]);
      await expectServing(client, path, module);
    });
  });
});

function open(module: Ioredis, path: Path, more: { commandTimeout?: number } = {}) {
  return limitedRedis(module, server.url, { maxConcurrentOps: LIMIT }, { ...path.options, ...more });
}

async function commandsProcessed(): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await operator.info('stats'))?.[1]);
}

/** Nothing is held, and as many as ever are served. */
async function expectServing(
  { redis, limiter }: Awaited<ReturnType<typeof open>>,
  path: Path,
  module: Ioredis,
): Promise<void> {
  await expectSettled(limiter);
  const count = Math.floor(LIMIT / path.weight);
  // A transaction by hand has the connection to itself.
  const callers = path.name.includes('false') ? 1 : count;
  await Promise.all(Array.from({ length: callers }, () => path.call(redis, 'right', module)));
  await expectSettled(limiter);
}
