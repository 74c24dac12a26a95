import { once } from 'node:events';
import type { Limiter } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../support/servers/redis/start-redis-cluster.js';
import { expectSettled, fill, started, tally, times, untilReady } from './support/clients.js';
import { anyKey, KEYS, writeKeys } from './support/keys.js';
import { type Ioredis, versions } from './support/versions.js';

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster({ replicas: 1, settings: { 'cluster-node-timeout': 1_000 } });
  const writer = new Redis.Cluster([...cluster.nodes]);
  await writeKeys(writer);
  writer.disconnect();
});
afterAll(async () => {
  for (const operator of operators.values()) operator.disconnect();
  await cluster.close();
});

async function connect(
  { Cluster: ClusterClass }: Ioredis,
  maxConcurrentOps: number,
  options: { readonly enableAutoPipelining?: boolean } = {},
) {
  const client = new LimitedRedis(new ClusterClass([...cluster.nodes], options), { maxConcurrentOps });
  client.on('error', () => {});
  await untilReady(client);
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.disconnect() });
}

describe.each(versions)('%s', (_name, module) => {
  test('every path passes the gate once', async () => {
    await using client = await connect(module, 10);
    const { limiter } = client;
    const cases: [name: string, weight: number, call: () => Promise<unknown>][] = [
      ['a command', 1, () => client.get('key-1')],
      ['a callback', 1, () => new Promise((resolve) => void client.get('key-1', resolve))],
      ['call()', 1, () => client.call('GET', 'key-1')],
      ['pipeline()', 2, () => client.pipeline().get('{t}a').get('{t}b').exec()],
      ['multi()', 2, () => client.multi().get('{t}a').get('{t}b').exec()],
      ['a command without a key', 1, () => client.ping()],
      ['a node', 1, () => client.nodes('master')[0]!.ping()],
      ['a pipeline of a node', 2, () => client.nodes('master')[0]!.pipeline().ping().ping().exec()],
    ];
    for (const [name, weight, call] of cases) {
      const before = operations(limiter);
      const answer = call();
      expect([name, limiter.inFlight]).toEqual([name, weight]);
      await answer;
      await expectSettled(limiter);
      expect([name, operations(limiter) - before]).toEqual([name, 1]);
    }
    const release = fill(limiter);
    for (const [name, , call] of cases.filter(([name]) => name !== 'a callback')) {
      await expect(call(), name).rejects.toMatchObject({ code: 'ERR_BACKPRESSURE' });
    }
    release();
    // All for one node: it may take two thirds of the limit, so that something is left for the others.
    const calls = started(times(50, () => client.get('key-1')));
    const [node] = Object.entries(limiter.stats().nodes).find(([, { inFlight }]) => inFlight === 7)!;
    await expect(calls[49]).rejects.toThrow(
      `redis: get rejected, node '${node}' holds 7 permits and may hold 6 now (7 in flight, limit 10)`,
    );
    expect(await tally(calls)).toMatchObject({ served: 7, refused: 43 });
  });

  test('redirections stay inside the one permit', async () => {
    await using client = await connect(module, 10);
    const [wrong] = client.slots.find((nodes) => nodes !== undefined)!;
    for (let slot = 0; slot < 16_384; slot++) client.slots[slot] = [wrong!];
    const calls = KEYS.slice(0, 10).map((key) => client.get(key));
    expect(await Promise.all(calls)).toEqual(KEYS.slice(0, 10));
    await expectSettled(client.limiter);
    expect(client.limiter.stats()).toMatchObject({ peakInFlight: 10, rejected: 0 });
  });

  test('the nodes are known to stats(), each with what it holds', async () => {
    await using client = await connect(module, 30);
    const calls = started(times(20, (index) => client.set(`spread-${index}`, 1)));
    const { nodes } = client.limiter.stats();
    expect(Object.keys(nodes)).toHaveLength(3);
    expect(Object.values(nodes).reduce((sum, { inFlight }) => sum + inFlight, 0)).toBe(20);
    await tally(calls);
    await expectSettled(client.limiter);
    expect(Object.values(client.limiter.stats().nodes).every(({ inFlight }) => inFlight === 0)).toBe(true);
  });

  test('replicas that nodes() hands out take nothing from the limit of the masters, unless they are used', async () => {
    await using client = await connect(module, 30);
    const { limiter } = client;
    await client.get('key-1');
    const masters = Object.keys(limiter.stats().nodes);
    expect(client.nodes('all')).toHaveLength(6);
    expect(Object.keys(limiter.stats().nodes)).toEqual(masters);
    const [replica] = client.nodes('slave');
    const asked = replica!.ping();
    const { [`${replica!.options.host}:${replica!.options.port}`]: share } = limiter.stats().nodes;
    expect(share).toMatchObject({ inFlight: 1 });
    await asked;
    await expectSettled(limiter);
    expect(Object.keys(limiter.stats().nodes)).toEqual(masters);
    // Three busy nodes use the whole limit together: the fair share of each is a third.
    const calls = KEYS.map((key) => client.get(key));
    expect(limiter.inFlight).toBe(30);
    expect((await tally(calls)).served).toBe(30);
  });

  test.each([false, true])(
    'what an ended cluster lets wait for ever holds nothing, and runs when it is connected again (auto-pipelining %s)',
    async (enableAutoPipelining) => {
      await using client = await connect(module, 10, { enableAutoPipelining });
      const { limiter } = client;
      await client.get('key-1');
      const ended = once(client, 'end');
      client.disconnect();
      await ended;
      // ioredis calls it closed once more, for each of its nodes, and queues commands then.
      await vi.waitFor(() => expect(client.status).toBe('close'));
      const calls = started([
        client.get('key-1'),
        client.pipeline().get('key-1').exec(),
        client.multi().get('key-1').exec(),
        client.call('GET', 'key-1'),
      ]);
      await expectSettled(limiter);
      await client.connect();
      expect(await calls[1]).toEqual([[null, 'key-1']]);
      expect(await calls[2]).toEqual([[null, 'key-1']]);
      expect(await client.get('key-1')).toBe('key-1');
      await expectSettled(limiter);
      expect(limiter.stats().peakInFlight).toBeLessThanOrEqual(4);
    },
  );

  test('auto-pipelining before the cluster is known: what waits is bounded, and admitted once', async () => {
    const client = new LimitedRedis(
      new module.Cluster([...cluster.nodes], { enableAutoPipelining: true, lazyConnect: true }),
      { maxConcurrentOps: 10 },
    );
    const calls = started(times(50, () => client.get('key-1')));
    expect(client.limiter.inFlight).toBe(10);
    expect(await tally(calls)).toEqual({ served: 10, refused: 40, failures: [] });
    await expectSettled(client.limiter);
    expect(client.limiter.stats().classes.command).toMatchObject({ admitted: 10, rejected: 40 });
    client.disconnect();
  });

  test.each([false, true])(
    'a master crashes under load: nothing is lost, mixed up or held (auto-pipelining %s)',
    async (enableAutoPipelining) => {
      await using client = await connect(module, 50, { enableAutoPipelining });
      const { limiter } = client;
      let wrong = 0;
      let stop = false;
      const load = (async () => {
        while (!stop) {
          for (let index = 0; index < 10; index++) {
            const key = anyKey();
            client.get(key).then(
              (value) => {
                if (value !== key && value !== null) wrong++;
              },
              () => {},
            );
          }
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      })();
      const { victim, heir } = await pairOfServers();
      await victim.stop('crash');
      await vi.waitFor(() => expectPromoted(heir.url), { timeout: 15_000, interval: 100 });
      stop = true;
      await load;
      await expectSettled(limiter);
      expect(wrong).toBe(0);
      await vi.waitFor(async () => expect(await client.set('key-1', 'key-1')).toBe('OK'), { timeout: 5_000 });
      expect(limiter.stats().peakInFlight).toBeLessThanOrEqual(50);
      // It comes back as a replica, for the next one.
      await victim.start();
    },
  );
});

/** Commands and pipelines admitted; a node that connects sends others, which are free. */
function operations(limiter: Limiter): number {
  const { command, pipeline } = limiter.stats().classes;
  return (command?.admitted ?? 0) + (pipeline?.admitted ?? 0);
}

/** The two servers of the first shard: its master, and a replica that is ready to take over. */
function pairOfServers() {
  const pair = [cluster.masters[0]!, cluster.replicas[0]![0]!];
  return vi.waitFor(
    async () => {
      const roles = await Promise.all(
        pair.map(async ({ url }) => (await ask(url)).call('ROLE') as Promise<unknown[]>),
      );
      const master = roles.findIndex(([role]) => role === 'master');
      const replica = roles.findIndex(([role, , , state]) => role === 'slave' && state === 'connected');
      expect([master, replica].sort()).toEqual([0, 1]);
      return { victim: pair[master]!, heir: pair[replica]! };
    },
    { timeout: 15_000, interval: 100 },
  );
}

async function expectPromoted(url: string): Promise<void> {
  const operator = await ask(url);
  expect((await operator.role())[0]).toBe('master');
  expect(await operator.cluster('INFO')).toMatch('cluster_state:ok');
}

const operators = new Map<string, Redis>();

/** A connection of the operator's, which no limiter knows of. */
async function ask(url: string): Promise<Redis> {
  const known = operators.get(url);
  if (known !== undefined) return known;
  const operator = new Redis(url, { retryStrategy: () => 50 });
  operator.on('error', () => {});
  operators.set(url, operator);
  return operator;
}
