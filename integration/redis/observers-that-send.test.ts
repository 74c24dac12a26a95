import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisServer } from '../support/servers/redis/start-redis.js';
import { expectSettled, limitedRedis, started } from './support/clients.js';
import { startFilledRedis } from './support/filled-server.js';
import { versions } from './support/versions.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startFilledRedis();
});
afterAll(() => server.close());

const OPTIONS = [
  ['auto-pipelining', { enableAutoPipelining: true }],
  ['auto-pipelining and commandTimeout', { enableAutoPipelining: true, commandTimeout: 10_000 }],
  ['single commands', {}],
] as const;

describe.each(versions)('observers that send through the client that they observe, %s', (_name, module) => {
  describe.each(OPTIONS)('%s', (_options, redisOptions) => {
    test.each([100, 12, 7])('everybody gets his own answer, with a limit of %i', async (maxConcurrentOps) => {
      await using client = await limitedRedis(module, server.url, { maxConcurrentOps }, redisOptions);
      const { redis, limiter } = client;
      const calls: { readonly expected: string; readonly answer: Promise<unknown> }[] = [];
      let depth = 0;
      const send = (index: number) => {
        const isFailing = index % 5 === 4;
        const [answer] = started([redis.get(isFailing ? 'list' : `k${index % 20}`)]);
        calls.push({ expected: isFailing ? 'ReplyError' : `v${index % 20}`, answer: answer! });
      };
      const sendTwoDeep = () => {
        if (depth === 2) return;
        depth++;
        send(calls.length);
        depth--;
      };
      const unsubscribe = limiter.subscribe({ onAdmit: sendTwoDeep, onReject: sendTwoDeep });
      for (let index = 3; index < 13; index++) send(index);
      unsubscribe();

      const seen = await Promise.all(calls.map(({ answer }) => answer.catch(({ name }) => name)));
      const refused = seen.filter((name) => name === 'BackpressureError').length;
      const failed = seen.filter((name) => name === 'ReplyError').length;
      expect(refused).toBe(Math.max(0, 30 - maxConcurrentOps));
      expect(seen).toEqual(
        calls.map(({ expected }, place) => (seen[place] === 'BackpressureError' ? seen[place] : expected)),
      );
      await expectSettled(limiter);
      expect(limiter.stats()).toMatchObject({
        rejected: refused,
        peakInFlight: 30 - refused,
        classes: { command: { failed, succeeded: 30 - refused - failed } },
      });
    });
  });
});
