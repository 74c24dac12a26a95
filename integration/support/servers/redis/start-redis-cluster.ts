import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { ServerSettings } from '../shared/server.js';
import { redisFromBinaries } from './redis-from-binaries.js';
import type { RedisServer } from './redis-server.js';

export interface RedisCluster extends AsyncDisposable {
  readonly masters: readonly RedisServer[];
  /** `replicas[i]` follow `masters[i]`. */
  readonly replicas: readonly (readonly RedisServer[])[];
  /** To start a client with. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  close(): Promise<void>;
}

export interface RedisClusterOptions {
  /** @default 3 */
  readonly masters?: number;
  /** For each master. @default 0 */
  readonly replicas?: number;
  readonly settings?: ServerSettings;
  readonly log?: (line: string) => void;
}

const SLOTS = 16_384;
/** Nodes that are quick to suspect each other talk more, and agree sooner; afterwards they are told the real timeout. */
const GATHERING = { 'cluster-enabled': 'yes', 'cluster-node-timeout': 500 };
const NODE_TIMEOUT = 'cluster-node-timeout';

/** A Redis Cluster of our own, from local binaries: up once every node says so and every replica follows. */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const count = options.masters ?? 3;
  const each = options.replicas ?? 0;
  const servers: RedisServer[] = [];
  const close = async () => void (await Promise.all(servers.map((server) => server.close())));
  try {
    const started = await Promise.all(Array.from({ length: count * (1 + each) }, () => startNode(options)));
    servers.push(...started);
    const clients = servers.map(({ url }) => new Redis(url));
    try {
      await join(servers, clients, count);
      await Promise.all(
        clients.slice(count).map(async (replica, index) => {
          const id = (await clients[index % count]!.cluster('MYID')) as string;
          await untilTrue(async () => (await replica.cluster('REPLICATE', id).catch(() => '')) === 'OK');
        }),
      );
      await untilTrue(() => allAgree(clients, each));
      const timeout = options.settings?.[NODE_TIMEOUT] ?? 15_000;
      await Promise.all(clients.map((client) => client.config('SET', NODE_TIMEOUT, timeout)));
    } finally {
      for (const client of clients) client.disconnect();
    }
    const masters = servers.slice(0, count);
    const replicas = masters.map((_, index) =>
      servers.slice(count).filter((_, replica) => replica % count === index),
    );
    const nodes = masters.map(({ host, port }) => ({ host, port }));
    return { masters, replicas, nodes, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Its bus takes the port plus 10,000; where that is taken, another port is tried. */
function startNode({ settings, log }: RedisClusterOptions): Promise<RedisServer> {
  return redisFromBinaries({
    settings: { 'repl-diskless-sync-delay': 0, ...settings, ...GATHERING },
    ...(log === undefined ? {} : { log }),
  });
}

async function join(
  servers: readonly RedisServer[],
  clients: readonly Redis[],
  count: number,
): Promise<void> {
  await Promise.all(
    clients.map(async (client, index) => {
      await client.cluster('SET-CONFIG-EPOCH', index + 1);
      if (index >= count) return;
      const from = Math.floor((index * SLOTS) / count);
      const to = Math.floor(((index + 1) * SLOTS) / count);
      await client.cluster('ADDSLOTS', ...Array.from({ length: to - from }, (_, slot) => from + slot));
    }),
  );
  await Promise.all(
    clients.flatMap((client, index) =>
      servers.slice(0, index).map(({ host, port }) => client.cluster('MEET', host, port)),
    ),
  );
  await untilTrue(async () => {
    const infos = await Promise.all(clients.map((client) => client.cluster('INFO')));
    return infos.every(
      (info) =>
        String(info).includes('cluster_state:ok') &&
        String(info).includes(`cluster_known_nodes:${servers.length}`),
    );
  });
}

/** Every node knows every replica's place, and the links are up. */
async function allAgree(clients: readonly Redis[], each: number): Promise<boolean> {
  const views = await Promise.all(clients.map((client) => client.cluster('SLOTS')));
  const known = views.every((ranges) => (ranges as unknown[][]).every((range) => range.length === 3 + each));
  if (!known || each === 0) return known;
  const roles = await Promise.all(clients.map((client) => client.role()));
  return roles.every((role) => role[0] !== 'slave' || role[3] === 'connected');
}

async function untilTrue(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('the Redis Cluster was not up within 20 s');
    await sleep(50);
  }
}
