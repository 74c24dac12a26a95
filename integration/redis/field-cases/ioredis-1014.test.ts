import { isBackpressureError } from 'floodgate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisServer, startRedis } from '../../support/servers/redis/start-redis.js';
import { expectSettled, limitedRedis, times } from '../support/clients.js';
import { versions } from '../support/versions.js';

const LIMIT = 100;
let server: RedisServer;
beforeAll(async () => {
  server = await startRedis({ dedicated: true });
});
afterAll(() => server.close());

describe.each(versions)(
  'redis/ioredis#1014: each request makes many commands, and an outage multiplies the wait (%s)',
  (_name, module) => {
    test('50 requests of 20 gets while Redis is away: one rejection for a request, at once, and the rest is served later', async () => {
      await using client = await limitedRedis(module, server.url, { maxConcurrentOps: LIMIT });
      const { redis, limiter } = client;
      await server.stop();
      await vi.waitFor(() => expect(redis.status).not.toBe('ready'), { interval: 1 });
      const began = performance.now();
      const rejectedAfterMs: number[] = [];
      const requests = times(50, () =>
        redis
          .pipeline(times(20, () => ['get', 'k']))
          .exec()
          .catch((error: unknown) => {
            expect(isBackpressureError(error)).toBe(true);
            rejectedAfterMs.push(performance.now() - began);
            return undefined;
          }),
      );
      await vi.waitFor(() => expect(rejectedAfterMs).toHaveLength(45));
      expect(Math.max(...rejectedAfterMs)).toBeLessThan(100);
      expect(limiter.stats()).toMatchObject({ inFlight: LIMIT, rejected: 45 });
      await server.start();
      const answers = (await Promise.all(requests)).filter((answer) => answer !== undefined);
      expect(answers).toHaveLength(5);
      expect(answers.flat()).toHaveLength(100);
      await expectSettled(limiter);
    });
  },
);
