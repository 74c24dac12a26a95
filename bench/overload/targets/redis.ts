import { LimitedRedis } from 'floodgate/ioredis';
import { Redis } from 'ioredis';
import { startRedis } from '../../../integration/support/servers/redis/start-redis.js';
import { fixedAt, type Gate, limiterOptions, type Target } from '../target.js';

export interface RedisWorkload {
  readonly title: string;
  readonly bound: string;
  readonly callers: number;
  readonly operationsPerCall: number;
  readonly call: (redis: Redis) => Promise<unknown>;
}

/**
 * Redis has one thread: a command of 2 ms keeps all others waiting. `DEBUG SLEEP` takes the time without taking the
 * processor, which on a small machine the load generator needs and other programs want.
 */
const single: RedisWorkload = {
  title: '',
  bound: "one connection, `DEBUG SLEEP 0.002`: each command holds Redis' only thread for 2 ms",
  callers: 16,
  operationsPerCall: 1,
  call: (redis) => redis.call('DEBUG', 'SLEEP', '0.002'),
};

export async function redisTarget(workload: RedisWorkload = single): Promise<Target> {
  const settings = { 'enable-debug-command': 'local' };
  const server = await startRedis({ dedicated: true, settings });
  const operator = new Redis(server.url);
  const mostLimit = 256 * workload.operationsPerCall;

  const connect = (gate: Gate) => {
    if (gate === 'bare') return { redis: new Redis(server.url), limiter: undefined };
    const redis = new LimitedRedis(Redis, limiterOptions(gate, mostLimit), server.url);
    return { redis, limiter: redis.limiter };
  };

  return {
    key: 'redis',
    name: `Redis ${server.version}${workload.title}`,
    bound: workload.bound,
    callers: workload.callers,
    operationsPerCall: workload.operationsPerCall,
    mostLimit,
    async open(gate) {
      const { redis, limiter } = connect(gate);
      const id = await redis.client('ID');
      if (limiter !== undefined && gate !== 'bare') fixedAt(limiter, gate);
      return {
        call: () => workload.call(redis),
        limiter,
        async close() {
          // What the server has read but not run yet is forgotten with the connection.
          redis.disconnect();
          await operator.client('KILL', 'ID', id);
        },
      };
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
    async [Symbol.asyncDispose]() {
      operator.disconnect();
      await server.close();
    },
  };
}
