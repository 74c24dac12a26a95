import type { RedisClient } from './ioredis-internals.js';

/**
 * The method that a patch stands in front of: what the instance had of its own, else what its class has *now*, so that
 * instrumentation which is put on the class later is called too.
 */
export function originalMethod<K extends keyof RedisClient>(
  client: RedisClient,
  key: K,
): () => NonNullable<RedisClient[K]> {
  const own = Object.hasOwn(client, key) ? client[key] : undefined;
  const prototype: RedisClient = Object.getPrototypeOf(client);
  return () => (own ?? prototype[key])!;
}
