import type { FastifyBaseLogger } from 'fastify';
import { LimitedRedis } from 'floodgate/ioredis';
import { Redis } from 'ioredis';
import type { Order } from './orders.js';

const KEPT_S = 60;

export function openRedis(url: string, log: FastifyBaseLogger): LimitedRedis {
  const redis = new LimitedRedis(Redis, { name: 'redis', maxConcurrentOps: 200 }, url, {
    // A cache that can't answer at once is no help: nothing waits for a connection to come back.
    enableOfflineQueue: false,
    commandTimeout: 200,
  });
  redis.on('error', (error) => log.debug(error, 'Redis'));
  return redis;
}

/** Orders in Redis, in front of the database. Redis is optional: whatever is wrong with it, nothing was found. */
export class OrderCache {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async get(id: number): Promise<Order | undefined> {
    // Full, lost or slow: all the same to the reader. The limiter of PostgreSQL bounds what comes through.
    const text = await this.#redis.get(key(id)).catch(() => null);
    return text === null ? undefined : JSON.parse(text);
  }

  async set(order: Order): Promise<void> {
    await this.#redis.set(key(order.id), JSON.stringify(order), 'EX', KEPT_S).catch(() => {});
  }
}

function key(id: number): string {
  return `order:${id}`;
}
