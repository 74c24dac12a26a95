import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openLoop } from '../../support/open-loop.js';
import { type RedisServer, startRedis } from '../../support/servers/redis/start-redis.js';
import { expectSettled, limitedRedis } from '../support/clients.js';
import { versions } from '../support/versions.js';

const LIMIT = 256;
let server: RedisServer;
beforeAll(async () => {
  server = await startRedis({ dedicated: true });
});
afterAll(() => server.close());

describe.each(versions)(
  'redis/ioredis#76, #702: the offline queue grows while Redis is away (%s)',
  (_name, module) => {
    test('Redis is away for 3 s under 5,000 get/s: no more than the limit waits, and its return is no stall', {
      retry: 2,
    }, async () => {
      await using client = await limitedRedis(module, server.url, { maxConcurrentOps: LIMIT });
      const { redis, limiter } = client;
      await redis.set('k', 'v');
      await server.stop();
      await vi.waitFor(() => expect(redis.status).not.toBe('ready'), { interval: 1 });
      const load = openLoop({ ratePerSecond: 5_000, durationMs: 3_500 }, () => redis.get('k'));
      let queued = 0;
      const watch = setInterval(() => {
        const { offlineQueue } = redis as unknown as { offlineQueue: { length: number } };
        queued = Math.max(queued, offlineQueue.length + redis.commandQueue.length);
      }, 5);
      await sleep(3_000);
      const stalls = monitorEventLoopDelay({ resolution: 1 });
      stalls.enable();
      await server.start();
      await load.answered;
      stalls.disable();
      clearInterval(watch);
      console.log(`waiting ${queued}, longest stall on return ${(stalls.max / 1e6).toFixed(1)} ms`);
      // Beside them, the few commands with which the connection is set up.
      expect(queued).toBeLessThanOrEqual(LIMIT + 10);
      expect(limiter.stats()).toMatchObject({ peakInFlight: LIMIT });
      expect(load.arrivals.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(stalls.max / 1e6).toBeLessThan(50);
      await expectSettled(limiter);
    });
  },
);
