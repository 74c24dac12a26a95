import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLoop } from '../../support/open-loop.js';
import { type RedisServer, startRedis } from '../../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled, limitedRedis } from '../support/clients.js';
import { versions } from '../support/versions.js';

const LIMIT = 64;
let server: RedisServer;
beforeAll(async () => {
  server = await startRedis({ dedicated: true, settings: { 'enable-debug-command': 'yes' } });
});
afterAll(() => server.close());

describe.each(versions)(
  'redis/ioredis#1613: "Command timed out" under load, with an empty slow log (%s)',
  (_name, module) => {
    test('a stall of 1 s under 5,000/s with a deadline of 100 ms: the server runs no more stale commands than the limit', async () => {
      await using operator = await bareRedis(module, server.url);
      await using client = await limitedRedis(
        module,
        server.url,
        { maxConcurrentOps: LIMIT },
        { commandTimeout: 100 },
      );
      const { redis, limiter } = client;
      await operator.del('ran');
      const stalled = operator.call('DEBUG', 'SLEEP', '1');
      const load = openLoop({ ratePerSecond: 5_000, durationMs: 900 }, () => redis.incr('ran'));
      const arrivals = await load.answered;
      await stalled;
      await expectSettled(limiter);
      const served = arrivals.filter(({ outcome }) => outcome === 'served').length;
      const stale = Number(await operator.get('ran')) - served;
      console.log(
        `stale executions ${stale}, refused ${arrivals.filter(({ outcome }) => outcome === 'rejected').length}`,
      );
      expect(stale).toBeLessThanOrEqual(LIMIT);
      expect(stale).toBeGreaterThan(0);
      const failed = arrivals.filter(({ outcome }) => outcome === 'failed');
      expect(failed.every(({ error }) => (error as Error).message === 'Command timed out')).toBe(true);
    });
  },
);
