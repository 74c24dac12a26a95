import type { Redis, RedisOptions } from 'ioredis';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RedisServer } from '../support/servers/redis/redis-server.js';
import { expectSettled, limitedRedis, started, tally, times, untilReady } from './support/clients.js';
import { fillRedis } from './support/filled-server.js';
import { serverOfItsOwn } from './support/server-of-its-own.js';
import { versions } from './support/versions.js';

const BURST = 3_000;
const LIMIT = 2_500;
const KEYS = 50;

let server: RedisServer;
/** No limiter knows of it. */
let operator: Redis;
serverOfItsOwn((given) => {
  ({ server, operator } = given);
});
beforeEach(() => fillRedis(operator, KEYS));

interface Fault {
  readonly name: string;
  readonly redisOptions?: RedisOptions;
  readonly strike: (redis: Redis) => unknown;
  /** The client has ended: it does not come back by itself. */
  readonly ends?: boolean;
}

const killed = async (redis: Redis) => {
  await operator.client('PAUSE', 60, 'ALL');
  setTimeout(() => (redis as unknown as { stream: { destroy(): void } }).stream.destroy(), 20);
};

const faults: readonly Fault[] = [
  { name: 'nothing happens', strike: () => {} },
  { name: 'the server pauses', strike: () => operator.client('PAUSE', 100, 'ALL') },
  {
    name: 'the server pauses for longer than commandTimeout',
    redisOptions: { commandTimeout: 30 },
    strike: () => operator.client('PAUSE', 100, 'ALL'),
  },
  { name: 'the connection is lost', strike: killed },
  {
    name: 'the connection is lost, and nothing is tried twice',
    redisOptions: { maxRetriesPerRequest: 0 },
    strike: killed,
  },
  { name: 'disconnect()', strike: (redis) => setImmediate(() => redis.disconnect()), ends: true },
  { name: 'quit()', strike: (redis) => setImmediate(() => redis.quit().catch(() => {})), ends: true },
];

/** Among the right ones, some that the server refuses. */
function call(redis: Redis, index: number): Promise<unknown> {
  if (index % 10 === 9) return redis.get('list');
  const key = index % KEYS;
  return redis.get(`k${key}`).then((value) => {
    if (value !== `v${key}`) throw new Error(`k${key} is said to be ${value}`);
  });
}

describe.each(versions)('bursts of auto-pipelined commands, %s', (_name, module) => {
  test.each(faults)(
    '$name: each is counted once, and has its own answer',
    async ({ redisOptions, strike, ends }) => {
      await using client = await limitedRedis(
        module,
        server.url,
        { maxConcurrentOps: LIMIT },
        { enableAutoPipelining: true, ...redisOptions },
      );
      const { redis, limiter } = client;
      const heard = { admitted: 0, rejected: 0, success: 0, failed: 0, overload: 0, ignored: 0 };
      limiter.subscribe({
        onAdmit: (operationClass) => void (operationClass === 'command' && heard.admitted++),
        onReject: (operationClass) => void (operationClass === 'command' && heard.rejected++),
        onRelease: (operationClass, _weight, outcome) =>
          void (operationClass === 'command' && heard[outcome]++),
      });
      for (let burst = 0; burst < 3; burst++) {
        const calls = started(times(BURST, (index) => call(redis, index)));
        expect(limiter.inFlight).toBe(LIMIT);
        await strike(redis);
        await expectSettled(limiter);
        const { served, refused, failures } = await tally(calls);
        expect(failures.filter((message) => message.includes('is said to be'))).toEqual([]);
        if (redisOptions === undefined && !ends) {
          expect({ served, refused }).toEqual({ served: LIMIT * 0.9, refused: BURST - LIMIT });
        }
        if (ends) break;
        await untilReady(redis);
      }
      const { admitted, rejected, succeeded, failed, overloaded, ignored } = limiter.stats().classes.command!;
      expect(heard).toEqual({
        admitted,
        rejected,
        success: succeeded,
        failed,
        overload: overloaded,
        ignored,
      });
      expect(admitted).toBe(succeeded + failed + overloaded + ignored);
      if (ends) return;
      expect(await redis.get('k1')).toBe('v1');
    },
  );
});
