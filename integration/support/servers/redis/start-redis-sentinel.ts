import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { redisFromBinaries } from './redis-from-binaries.js';
import type { RedisServer } from './redis-server.js';

export interface RedisSentinelSet extends AsyncDisposable {
  readonly name: string;
  /** The first one is the master to begin with. */
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  close(): Promise<void>;
}

const NAME = 'floodgate';

/** One master, a replica and three sentinels of our own, from local binaries; a dead master is replaced in about 2 s. */
export async function startRedisSentinel(): Promise<RedisSentinelSet> {
  const all: RedisServer[] = [];
  const close = async () => void (await Promise.all(all.map((server) => server.close())));
  const start = async (settings: Record<string, string | number>, args?: readonly string[]) => {
    const server = await redisFromBinaries({ settings }, args);
    all.push(server);
    return server;
  };
  try {
    const master = await start({ 'repl-diskless-sync-delay': 0 });
    const replica = await start({ replicaof: `${master.host} ${master.port}` });
    await asked(replica, async (client) => (await client.role())[3] === 'connected');
    const sentinels = await Promise.all([1, 2, 3].map(() => start({}, ['--sentinel'])));
    for (const sentinel of sentinels) {
      await asked(sentinel, async (client) => {
        await client.call('SENTINEL', 'MONITOR', NAME, master.host, master.port, 2);
        await client.call('SENTINEL', 'SET', NAME, 'down-after-milliseconds', 500, 'failover-timeout', 5_000);
        return true;
      });
    }
    for (const sentinel of sentinels) {
      await asked(sentinel, async (client) => {
        const replicas = (await client.call('SENTINEL', 'REPLICAS', NAME)) as unknown[];
        const others = (await client.call('SENTINEL', 'SENTINELS', NAME)) as unknown[];
        return replicas.length === 1 && others.length === 2;
      });
    }
    return {
      name: NAME,
      servers: [master, replica],
      sentinels: sentinels.map(({ host, port }) => ({ host, port })),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Asks one server until it is so. */
async function asked(server: RedisServer, isSo: (client: Redis) => Promise<boolean>): Promise<void> {
  const client = new Redis(server.url, { protocol: 2 });
  const deadline = Date.now() + 20_000;
  try {
    while (!(await isSo(client))) {
      if (Date.now() > deadline) throw new Error('the sentinels did not agree within 20 s');
      await sleep(50);
    }
  } finally {
    client.disconnect();
  }
}
