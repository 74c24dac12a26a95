import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Limiter } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import { type Cluster, type ClusterOptions, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { countListeners } from '../ecosystem/support/count-listeners.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import type { RedisServer } from '../support/servers/redis/redis-server.js';
import { type RedisCluster, startRedisCluster } from '../support/servers/redis/start-redis-cluster.js';
import { expectSettled, started, tally, times, untilReady } from './support/clients.js';
import { type Ioredis, versions } from './support/versions.js';

const MASTERS = 3;
let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster({
    masters: MASTERS,
    settings: { 'cluster-allow-replica-migration': 'no' },
  });
});
afterAll(async () => {
  for (const operator of operators.values()) operator.disconnect();
  await cluster.close();
});

describe.each(versions)('nodes that come and go, %s', (_name, module) => {
  test('a shard that moves to another master and back: who has left is forgotten, and collected', async () => {
    await using client = await connect(module, { maxConcurrentOps: 60 });
    await using bare = await connectBare(module);
    const [, receiver, leaver] = cluster.masters as [RedisServer, RedisServer, RedisServer];
    const all = cluster.masters.map(nameOf).sort();
    const slots = await slotsOf(leaver);
    const gone: WeakRef<object>[] = [];
    for (let round = 0; round < 5; round++) {
      gone.push(await useNode(client, leaver));
      expect(nodesOf(client)).toEqual(all);
      await moveSlots(slots, receiver);
      await untilNodesAre(
        client,
        all.filter((name) => name !== nameOf(leaver)),
      );
      await moveSlots(slots, leaver);
      await untilNodesAre(client, all);
      await untilNodesAre(bare, all);
    }
    await expectSettled(client.limiter);
    expect(listenersOf(client)).toEqual(listenersOf(bare));
    await vi.waitFor(() => {
      collectGarbage();
      expect(gone.filter((node) => node.deref() !== undefined)).toEqual([]);
    });
  });

  test('each time behind other addresses: no more nodes are known than there are', async () => {
    const moving = await startMovingCluster();
    await using client = await connect(module, { maxConcurrentOps: 60 }, { natMap: moving.natMap });
    for (let round = 0; round < 10; round++) {
      await tally(started(keys(60).map((key) => client.get(key))));
      for (const node of client.nodes()) await node.ping();
      expect(nodesOf(client)).toEqual(moving.names());
      await moving.move();
      await untilNodesAre(client, moving.names());
    }
    await expectSettled(client.limiter);
    await moving.close();
  });

  test('what is held for a node that has left keeps it in the account, and not longer', async () => {
    const moving = await startMovingCluster();
    const options = { natMap: moving.natMap, slotsRefreshTimeout: 100 };
    await using client = await connect(module, { maxConcurrentOps: 60 }, options);
    const before = moving.names();
    moving.pause(2);
    const calls = started(keys(30).map((key) => client.get(key)));
    await vi.waitFor(() => expect(client.limiter.inFlight).toBeLessThan(30));
    const hanging = client.limiter.inFlight;
    expect(hanging).toBeGreaterThan(10);
    await moving.move({ closeFormer: false });
    await refresh(client);
    await client.get('key');
    const left = nodesOf(client).filter((name) => before.includes(name));
    expect(left).toHaveLength(2);
    expect(nodesOf(client)).toEqual([...left, ...moving.names()].sort());
    expect(held(client)).toBe(hanging);
    // Their connections end, and ioredis sends what was on them to where the slots are now, if it finds the way.
    moving.resume();
    expect(await tally(calls)).toMatchObject({ refused: 0 });
    await expectSettled(client.limiter);
    expect(nodesOf(client)).toEqual(moving.names());
    await moving.close();
  });

  test('a node that is down, with clusterNodeRetryStrategy: it stays one of the nodes, and holds nothing once it is back', async () => {
    const options = { clusterNodeRetryStrategy: () => 50, retryDelayOnFailover: 50, maxRedirections: 100 };
    await using client = await connect(module, { maxConcurrentOps: 60 }, options);
    const all = nodesOf(client);
    const listeners = listenersOf(client);
    const victim = cluster.masters[0]!;
    for (let round = 0; round < 3; round++) {
      await victim.stop('crash');
      const calls = started(keys(30).map((key) => client.get(key)));
      await vi.waitFor(() => expect(client.limiter.inFlight).toBeLessThan(20));
      expect(client.limiter.stats().nodes[nameOf(victim)]).toMatchObject({
        inFlight: client.limiter.inFlight,
      });
      await victim.start();
      expect(await tally(calls)).toEqual({ served: 30, refused: 0, failures: [] });
      await expectSettled(client.limiter);
      expect(nodesOf(client)).toEqual(all);
    }
    expect(listenersOf(client)).toEqual(listeners);
  });

  test('clients that share a limiter: each forgets its own nodes at its end, and none that another has', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 60 });
    const all = cluster.masters.map(nameOf).sort();
    const first = await connect(module, { limiter });
    await tally(keys(10).map((key) => first.get(key)));
    for (let round = 0; round < 5; round++) {
      const copy = first.duplicate() as Limited;
      await untilReady(copy);
      await copy.get('key');
      expect(nodesOf(first)).toEqual(all);
      const ended = once(copy, 'end');
      copy.disconnect();
      await ended;
      await expectSettled(limiter);
      expect(nodesOf(first)).toEqual(all);
    }
    first.disconnect();
    await vi.waitFor(() => expect(limiter.stats().nodes).toEqual({}));
  });
});

type Limited = LimitedRedis<Cluster> & AsyncDisposable;

async function connect(
  module: Ioredis,
  limits: { readonly maxConcurrentOps: number } | { readonly limiter: Limiter },
  options: ClusterOptions = {},
): Promise<Limited> {
  const client = new LimitedRedis(await connectBare(module, options), limits) as Limited;
  await client.get('key');
  return client;
}

async function connectBare({ Cluster: ClusterClass }: Ioredis, options: ClusterOptions = {}) {
  const client = new ClusterClass([...cluster.nodes], options as object);
  client.on('error', () => {});
  await untilReady(client);
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.disconnect() });
}

/** By itself, so that nothing here keeps it alive. */
async function useNode(client: Limited, { port }: RedisServer): Promise<WeakRef<object>> {
  const node = client.nodes('master').find(({ options }) => options.port === port)!;
  await node.ping();
  return new WeakRef(node);
}

/** Of which something is known. */
function nodesOf(client: Limited): string[] {
  return Object.keys(client.limiter.stats().nodes).sort();
}

function held(client: Limited): number {
  return Object.values(client.limiter.stats().nodes).reduce((sum, { inFlight }) => sum + inFlight, 0);
}

/** Once it has been sent to the wrong place, or has lost a node, it asks for the slots. */
async function untilNodesAre(client: Cluster | Limited, names: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      await tally(keys(30).map((key) => client.get(key)));
      const masters = new Set(client.slots.map((nodes) => nodes?.[0]));
      expect([...masters].sort()).toEqual([...names].sort());
      if ('limiter' in client) expect(nodesOf(client)).toEqual([...names].sort());
    },
    { timeout: 20_000, interval: 20 },
  );
}

function refresh(client: Cluster): Promise<void> {
  return new Promise((resolve, reject) => {
    client.refreshSlotsCache((error) => (error ? reject(error) : resolve()));
  });
}

function keys(count: number): string[] {
  return times(count, (index) => `key-${index}`);
}

function nameOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`;
}

function listenersOf(client: Cluster): readonly string[] {
  const { connectionPool } = client as unknown as { connectionPool: NodeJS.EventEmitter };
  return [client as unknown as NodeJS.EventEmitter, connectionPool].map(countListeners);
}

const operators = new Map<string, Redis>();

function operatorOf({ url }: RedisServer): Redis {
  const known = operators.get(url);
  if (known !== undefined) return known;
  const operator = new Redis(url);
  operator.on('error', () => {});
  operators.set(url, operator);
  return operator;
}

async function slotsOf(server: RedisServer): Promise<number[]> {
  const ranges = (await operatorOf(server).cluster('SLOTS')) as unknown as [
    number,
    number,
    [string, number],
  ][];
  return ranges
    .filter(([, , [, port]]) => port === server.port)
    .flatMap(([first, last]) => times(last - first + 1, (index) => first + index));
}

/** There are no keys in them. */
async function moveSlots(slots: readonly number[], to: RedisServer): Promise<void> {
  const others = cluster.masters.filter((other) => other !== to);
  const id = await operatorOf(to).cluster('MYID');
  const from = await operatorOf(others[0]!).cluster('MYID');
  await raiseEpoch(to, others);
  // Who has imported a slot tells all others at once.
  await operatorOf(to).cluster('SETSLOT', slots[0]!, 'IMPORTING', from);
  for (const server of [to, ...others]) {
    const commands = slots.map((slot) => ['cluster', 'SETSLOT', slot, 'NODE', id]);
    for (const [error] of (await operatorOf(server)
      .pipeline(commands as never)
      .exec())!) {
      if (error) throw error;
    }
  }
}

/** The claim of the greatest epoch wins. `to` goes above those it has heard of, which may not be all yet. */
async function raiseEpoch(to: RedisServer, others: readonly RedisServer[]): Promise<void> {
  await vi.waitFor(
    async () => {
      await operatorOf(to).call('CLUSTER', 'BUMPEPOCH');
      const epochs = await Promise.all(others.map(epochOf));
      expect(await epochOf(to)).toBeGreaterThan(Math.max(...epochs));
    },
    { timeout: 10_000 },
  );
}

async function epochOf(server: RedisServer): Promise<number> {
  const info = String(await operatorOf(server).cluster('INFO'));
  return Number(/cluster_my_epoch:(\d+)/.exec(info)?.[1]);
}

/** The cluster as seen through proxies, whose addresses change. */
async function startMovingCluster() {
  const open = () => Promise.all(cluster.masters.map((server) => startFaultProxy(server)));
  let proxies = await open();
  const former: typeof proxies = [];
  return {
    natMap: (key: string) => {
      const index = cluster.masters.findIndex((server) => nameOf(server) === key);
      const { host, port } = proxies[index] ?? { host: '127.0.0.1', port: 1 };
      return { host, port };
    },
    names: () => proxies.map(nameOf).sort(),
    /** The first ones. */
    pause(count: number) {
      for (const proxy of proxies.slice(0, count)) proxy.pause();
    },
    resume() {
      for (const proxy of former) proxy.resume();
    },
    async move({ closeFormer = true } = {}) {
      former.push(...proxies);
      const gone = proxies;
      proxies = await open();
      if (closeFormer) await Promise.all(gone.map((proxy) => proxy.close()));
    },
    close: async () => void (await Promise.all([...former, ...proxies].map((proxy) => proxy.close()))),
  };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
