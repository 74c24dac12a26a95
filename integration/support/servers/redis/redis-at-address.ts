import { serverAtAddress } from '../shared/server-at-address.js';
import type { RedisOptions, RedisServer } from './redis-server.js';
import { waitForRedis } from './wait-for-redis.js';

/** A server that somebody else runs: it is used, and never paused, stopped or started. */
export function redisAtAddress(options: RedisOptions): Promise<RedisServer> {
  const at = { variable: 'FLOODGATE_REDIS_URL', starter: 'startRedis' };
  return serverAtAddress(at, options, async (url) => {
    const version = await waitForRedis({ url, deadlineMs: 5_000 });
    const { hostname, port } = new URL(url);
    return { url, host: hostname, port: Number(port || 6379), version };
  });
}
