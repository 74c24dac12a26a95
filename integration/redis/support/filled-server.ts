import type { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../../support/servers/redis/start-redis.js';
import { bareRedis, times } from './clients.js';
import { versions } from './versions.js';

/** `k0` holds `v0`, `k1` holds `v1` and so on, and `list` a list, on which a `get` fails. */
export async function fillRedis(client: Redis, keys: number): Promise<void> {
  await Promise.all(times(keys, (index) => client.set(`k${index}`, `v${index}`)));
  await client.rpush('list', 'v');
}

export async function startFilledRedis(): Promise<RedisServer> {
  const server = await startRedis();
  await using operator = await bareRedis(versions[0]![1], server.url);
  await fillRedis(operator, 20);
  return server;
}
