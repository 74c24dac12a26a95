import { LimitedRedis } from 'floodgate/ioredis';
import { type Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RedisServer } from '../support/servers/redis/redis-server.js';
import { type RedisCluster, startRedisCluster } from '../support/servers/redis/start-redis-cluster.js';
import { expectSettled, started, tally, times, untilReady } from './support/clients.js';
import { KEYS, writeKeys } from './support/keys.js';
import { type Ioredis, versions } from './support/versions.js';

let cluster: RedisCluster;
/** The master of these keys is the one that things happen to. */
let victim: RedisServer;
let victimKeys: readonly string[];
let operator: Redis;
let other: Redis;
beforeAll(async () => {
  cluster = await startRedisCluster({
    settings: { 'enable-debug-command': 'yes', 'cluster-require-full-coverage': 'no' },
  });
  [victim] = cluster.masters as [RedisServer];
  const writer = new Redis.Cluster([...cluster.nodes]);
  await writeKeys(writer);
  operator = new Redis(victim.url, { retryStrategy: () => 20 });
  other = new Redis(victim.url, { retryStrategy: () => 20 });
  for (const client of [operator, other]) client.on('error', () => {});
  const present = await Promise.all(
    KEYS.map((key) =>
      operator.exists(key).then(
        () => true,
        () => false,
      ),
    ),
  );
  victimKeys = KEYS.filter((_, index) => present[index]);
  writer.disconnect();
});
afterAll(async () => {
  operator.disconnect();
  other.disconnect();
  await cluster.close();
});

async function connect(
  { Cluster: ClusterClass }: Ioredis,
  maxConcurrentOps: number,
  options: ClusterOptions,
) {
  const client = new LimitedRedis(new ClusterClass([...cluster.nodes], options as object), {
    maxConcurrentOps,
  });
  client.on('error', () => {});
  if (options.lazyConnect !== true) {
    await untilReady(client);
    await untilServed(client);
  }
  return Object.assign(client as LimitedRedis<Cluster>, {
    [Symbol.asyncDispose]: async () => client.disconnect(),
  });
}

/** A node that was away is not trusted at once. */
function untilServed(client: { get(key: string): Promise<string | null> }): Promise<void> {
  return vi.waitFor(async () => expect(await client.get(victimKeys[0]!)).toBe(victimKeys[0]), {
    timeout: 10_000,
    interval: 50,
  });
}

describe.each(versions)('permits of a cluster, %s', (_name, module) => {
  test.each([false, true])(
    'commandTimeout answers the callers of a paused node; the permits come back when the node answers (auto-pipelining %s)',
    async (enableAutoPipelining) => {
      const options = { enableAutoPipelining, redisOptions: { commandTimeout: 30 } };
      await using client = await connect(module, 30, options);
      const { limiter } = client;
      const [key] = victimKeys as [string];
      await operator.client('PAUSE', 200, 'ALL');
      const calls = [
        client.get(key),
        // All its answers are the same error, so ioredis makes its commands anew, and then does not send them again.
        client.pipeline().get(key).get(key).exec(),
        client.multi().get(key).exec(),
      ];
      const [single, pipeline, multi] = await Promise.allSettled(calls);
      expect(single).toMatchObject({ reason: { message: 'Command timed out' } });
      expect(pipeline).toMatchObject({ value: times(2, () => [{ message: 'Command timed out' }]) });
      expect(multi).toMatchObject({ reason: { message: 'Command timed out' } });
      expect(limiter.inFlight).toBe(4);
      await operator.ping();
      await expectSettled(limiter);
      expect(await client.get(key)).toBe(key);
    },
  );

  test('commandTimeout of a transaction that was made before the cluster was known frees no permit either', async () => {
    const options = { lazyConnect: true, redisOptions: { commandTimeout: 50 } };
    await using client = await connect(module, 30, options);
    const [key] = victimKeys as [string];
    await operator.call('CLIENT', 'PAUSE', 300, 'WRITE');
    await expect(client.multi().set(key, key).exec()).rejects.toThrow('Command timed out');
    expect(client.limiter.inFlight).toBe(1);
    await expectSettled(client.limiter);
    expect(client.limiter.stats().classes.pipeline).toMatchObject({ admitted: 1, overloaded: 1 });
  });

  test('commandTimeout of a command that may not be redirected any more frees no permit either', async () => {
    const options = { redisOptions: { commandTimeout: 30 }, maxRedirections: 0 };
    await using client = await connect(module, 30, options);
    await operator.client('PAUSE', 150, 'ALL');
    await expect(client.get(victimKeys[0]!)).rejects.toThrow(
      'Too many Cluster redirections. Last error: Error: Command timed out',
    );
    expect(client.limiter.inFlight).toBe(1);
    await operator.ping();
    await expectSettled(client.limiter);
  });

  test('commandTimeout while ioredis waits to send again: the permits stay for as long as it tries', async () => {
    const options = { redisOptions: { commandTimeout: 30 }, retryDelayOnFailover: 100, maxRedirections: 5 };
    await using client = await connect(module, 20, options);
    const { limiter } = client;
    const calls = () => tally(times(10, (index) => client.get(victimKeys[index % victimKeys.length]!)));
    await victim.stop();
    expect(await calls()).toMatchObject({ served: 0, refused: 0 });
    const held = limiter.inFlight;
    expect(held).toBeGreaterThan(5);
    // Their callers are gone, and still they are under way.
    for (let wave = 0; wave < 5; wave++) await calls();
    expect(limiter.stats().peakInFlight).toBeLessThanOrEqual(20);
    expect(limiter.stats().rejected).toBeGreaterThan(0);
    await victim.start();
    await expectSettled(limiter);
    expect(limiter.stats().classes.command!.overloaded).toBeGreaterThanOrEqual(held);
  });

  test.each([false, true])(
    'what a node drops when it comes back (clusterNodeRetryStrategy, autoResendUnfulfilledCommands: %s)',
    async (autoResendUnfulfilledCommands) => {
      const options = { clusterNodeRetryStrategy: () => 20, redisOptions: { autoResendUnfulfilledCommands } };
      await using client = await connect(module, 30, options);
      const { limiter } = client;
      const [key] = victimKeys as [string];
      for (let round = 0; round < 3; round++) {
        const busy = other.call('DEBUG', 'SLEEP', '0.05');
        const killed = operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        const calls = started([
          client.get(key),
          client.pipeline().get(key).get(key).exec(),
          client.blpop(`{${key}}list`, 1),
        ]);
        await Promise.allSettled([busy, killed]);
        if (autoResendUnfulfilledCommands) await tally(calls.slice(0, 2));
        await vi.waitFor(() => expect(limiter.inFlight).toBe(0), { timeout: 5_000 });
        await expectSettled(limiter);
      }
      await untilServed(client);
    },
  );

  test('autoResendUnfulfilledCommands: false with auto-pipelining: a node is deaf after a kill, and what waits for it holds nothing', async () => {
    const options = {
      clusterNodeRetryStrategy: () => 20,
      enableAutoPipelining: true,
      redisOptions: { autoResendUnfulfilledCommands: false },
    };
    await using client = await connect(module, 30, options);
    const { limiter } = client;
    const [key] = victimKeys as [string];
    const busy = other.call('DEBUG', 'SLEEP', '0.05');
    const killed = operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    started([client.get(key)]);
    await new Promise(setImmediate);
    started(times(3, () => client.get(key)));
    expect(limiter.inFlight).toBe(4);
    await Promise.allSettled([busy, killed]);
    await expectSettled(limiter);
    started(times(3, () => client.get(key)));
    await expectSettled(limiter);
    const healthy = KEYS.find((name) => !victimKeys.includes(name))!;
    expect(await client.get(healthy)).toBe(healthy);
    expect(limiter.stats().rejected).toBe(0);
  });

  test.each<
    [option: string, RedisOptions, call: (client: Cluster, key: string) => Promise<unknown>, answer: unknown]
  >([
    ['commandTimeout', { commandTimeout: 300 }, (client, key) => client.get(key), 'Command timed out'],
    ['blockingTimeout', { blockingTimeout: 300 }, (client, key) => client.blpop(`{${key}}list`, 0), null],
  ])(
    '%s answers an auto-pipeline that a node has dropped: what waits behind it keeps its permits, and the limit holds on',
    async (_option, timeout, call, answer) => {
      const options = {
        clusterNodeRetryStrategy: () => 20,
        enableAutoPipelining: true,
        redisOptions: { autoResendUnfulfilledCommands: false, ...timeout },
      };
      // A third stays free for the other nodes.
      await using client = await connect(module, 6, options);
      const { limiter } = client;
      const [key] = victimKeys as [string];
      const busy = other.call('DEBUG', 'SLEEP', '0.05');
      const killed = operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      const [dropped] = started([call(client, key)]);
      await Promise.allSettled([busy, killed]);
      await expectSettled(limiter);
      const waiting = started(times(8, () => client.get(key)));
      expect(limiter.inFlight).toBe(4);
      expect(await tally(waiting)).toEqual({ served: 4, refused: 4, failures: [] });
      expect(await dropped!.catch(({ message }) => message)).toBe(answer);
      await expectSettled(limiter);
      expect(await tally(times(8, () => client.get(key)))).toEqual({ served: 4, refused: 4, failures: [] });
      await expectSettled(limiter);
      expect(limiter.stats().peakInFlight).toBe(4);
    },
  );

  test('a node that is removed while it reconnects: what waited for it holds nothing', async () => {
    const options = { clusterNodeRetryStrategy: () => 60_000 };
    await using client = await connect(module, 30, options);
    const { limiter } = client;
    const [key] = victimKeys as [string];
    await operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    const isVictim = ({ options: { port } }: Redis) => port === victim.port;
    const { connectionPool } = client as unknown as { connectionPool: { getNodes(role: 'all'): Redis[] } };
    const node = connectionPool.getNodes('all').find(isVictim)!;
    await vi.waitFor(() => expect(node.status).toBe('reconnecting'), { interval: 1 });
    started([client.get(key), client.pipeline().get(key).get(key).exec()]);
    expect(limiter.inFlight).toBe(3);
    client.disconnect();
    await expectSettled(limiter);
  });
});
