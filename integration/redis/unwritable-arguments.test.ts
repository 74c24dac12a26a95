import { LimitedRedis } from 'floodgate/ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RedisServer } from '../support/servers/redis/start-redis.js';
import { expectSettled, limitedRedis, started, tally, times, untilReady } from './support/clients.js';
import { uncaughtExceptions, unhandledRejections } from './support/escaped-errors.js';
import { startFilledRedis } from './support/filled-server.js';
import { versions } from './support/versions.js';

const AUTO = { enableAutoPipelining: true };
let server: RedisServer;
beforeAll(async () => {
  server = await startFilledRedis();
});
afterAll(() => server.close());

const UNWRITABLE: readonly (readonly [name: string, make: () => unknown])[] = [
  ['an object without a prototype', () => Object.create(null)],
  [
    'a toString() that throws',
    () => ({
      toString() {
        throw new Error('no string');
      },
    }),
  ],
];

describe.each(versions)('arguments that can not be written, %s', (_name, module) => {
  test.each(UNWRITABLE)(
    '%s: its caller alone hears of it; bare, everybody would wait for ever',
    async (_bad, make) => {
      using uncaught = uncaughtExceptions();
      await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 }, AUTO);
      const { redis, limiter } = client;
      const bad = make() as string;
      const answers = [
        redis.get('k1'),
        redis.set('k2', bad),
        redis.get('k3'),
        redis.call('GET', bad),
        redis.get('k5'),
      ];
      const seen = await Promise.all(answers.map((answer) => answer.catch(({ name }) => name)));
      expect(seen).toEqual(['v1', 'TypeError', 'v3', 'TypeError', 'v5']);
      await expectSettled(limiter);
      expect(await redis.get('k6')).toBe('v6');
      expect(limiter.stats().classes.command).toMatchObject({ admitted: 4, succeeded: 4 });
      expect(uncaught.messages).toEqual([]);
    },
  );

  test('a client that throws while the shared pipeline is written: uncaught as bare, and no permit stays', async () => {
    class Choosy extends module.Redis {
      override sendCommand(...args: Parameters<InstanceType<typeof module.Redis>['sendCommand']>) {
        if (args[1] !== undefined && args[0].args[0] === 'refused') throw new Error('not this key');
        return super.sendCommand(...args);
      }
    }
    using uncaught = uncaughtExceptions();
    const redis = new LimitedRedis(Choosy, { maxConcurrentOps: 5 }, server.url, AUTO);
    const { limiter } = redis;
    await untilReady(redis);
    started([redis.get('k1'), redis.get('refused'), redis.get('k2')]);
    expect(limiter.inFlight).toBe(3);
    await vi.waitFor(() => expect(uncaught.messages).toEqual(['not this key']));
    await expectSettled(limiter);
    // ioredis never sends another auto-pipeline, but others.
    for (let round = 0; round < 3; round++) {
      started(times(5, () => redis.get('k1')));
      await expectSettled(limiter);
    }
    expect(limiter.stats().classes.command).toMatchObject({ rejected: 0, ignored: 18 });
    redis.disconnect();
  });

  test('where the shared pipeline was written all the same: everybody gets his own answer, and the limit holds on', async () => {
    class Late extends module.Redis {
      override sendCommand(...args: Parameters<InstanceType<typeof module.Redis>['sendCommand']>) {
        const result = super.sendCommand(...args);
        if (args[1] !== undefined && args[0].args[0] === 'last') throw new Error('too late');
        return result;
      }
    }
    using uncaught = uncaughtExceptions();
    const redis = new LimitedRedis(Late, { maxConcurrentOps: 5 }, server.url, AUTO);
    const { limiter } = redis;
    await untilReady(redis);
    const calls: Promise<unknown>[] = started([redis.get('k1'), redis.get('last')]);
    // It is to be asked for while the shared pipeline still counts as lost.
    const asked = new Promise<void>((resolve) => {
      process.once('uncaughtException', () => {
        const unsubscribe = limiter.subscribe({
          onRelease() {
            unsubscribe();
            calls.push(redis.get('k2'));
          },
        });
        calls.push(redis.get('k3'));
        resolve();
      });
    });
    await asked;
    expect(await Promise.all(calls)).toEqual(['v1', null, 'v2', 'v3']);
    expect(uncaught.messages).toEqual(['too late']);
    await expectSettled(limiter);
    expect(await tally(times(8, () => redis.get('k1')))).toEqual({ served: 5, refused: 3, failures: [] });
    await expectSettled(limiter);
    redis.disconnect();
  });

  test.each(UNWRITABLE)(
    '%s as a key beside keyPrefix: its caller alone hears of it, first, last or alone',
    async (_bad, make) => {
      using uncaught = uncaughtExceptions();
      // As bare: of ioredis' own command, which nobody can reach.
      using _rejections = unhandledRejections();
      const options = { ...AUTO, keyPrefix: 'k' };
      await using client = await limitedRedis(module, server.url, { maxConcurrentOps: 10 }, options);
      const { redis, limiter } = client;
      const bad = () => redis.get(make() as string);
      const rounds: readonly (() => Promise<unknown>[])[] = [
        () => [redis.get('1'), bad(), redis.get('2'), bad(), bad(), redis.get('3'), bad()],
        () => [bad(), redis.get('4')],
        () => [bad()],
        () => [redis.get('5')],
      ];
      const seen: unknown[] = [];
      for (const round of rounds) {
        seen.push(...(await Promise.all(round().map((answer) => answer.catch(() => 'failed')))));
      }
      const mixed = ['v1', 'failed', 'v2', 'failed', 'failed', 'v3', 'failed'];
      expect(seen).toEqual([...mixed, 'failed', 'v4', 'failed', 'v5']);
      await expectSettled(limiter);
      expect(limiter.stats().classes.command).toMatchObject({ admitted: 5, succeeded: 5 });
      expect(uncaught.messages).toEqual([]);
    },
  );
});
