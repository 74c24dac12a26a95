import { setTimeout as sleep } from 'node:timers/promises';
import { isBackpressureError } from 'floodgate';
import { LimitedRedis } from 'floodgate/ioredis';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/servers/redis/start-redis.js';
import { bareRedis, expectSettled } from './support/clients.js';
import { anyKey, KEYS, writeKeys } from './support/keys.js';
import { versions } from './support/versions.js';

const LIMIT = 10;
/** Offered every millisecond: twice the limit. */
const PER_MS = 20;
let server: RedisServer;
let operator: Redis & AsyncDisposable;
beforeAll(async () => {
  server = await startRedis();
  operator = await bareRedis(versions[0]![1], server.url);
  await writeKeys(operator);
});
afterAll(async () => {
  operator.disconnect();
  await server.close();
});

describe.each(versions)('%s', (_name, module) => {
  test('a connection that is killed under full load comes back as fast as it does bare', async () => {
    const bare: number[] = [];
    const limited: number[] = [];
    // In turns: what slows the machine slows both.
    for (let round = 0; round < 5; round++) {
      await using plain = await bareRedis(module, server.url);
      bare.push((await recover(plain)).afterMs);
      await using client = await bareRedis(module, server.url);
      const redis = new LimitedRedis(client, { maxConcurrentOps: LIMIT });
      const { afterMs, closes, wrong } = await recover(redis);
      limited.push(afterMs);
      expect({ closes, wrong }).toEqual({ closes: 1, wrong: 0 });
      await expectSettled(redis.limiter);
      expect(redis.limiter.stats().peakInFlight).toBeLessThanOrEqual(LIMIT);
    }
    console.log(`recovered after ms: bare ${show(bare)}, limited ${show(limited)}`);
    expect(median(limited)).toBeLessThanOrEqual(Math.max(1.25 * median(bare), median(bare) + 20));
  });

  test('six kills, one after the other, with answers checked against their keys: in order, also auto-pipelined', async () => {
    for (const enableAutoPipelining of [false, true]) {
      await using client = await bareRedis(module, server.url, { enableAutoPipelining });
      const redis = new LimitedRedis(client, { maxConcurrentOps: LIMIT });
      let [served, wrong] = [0, 0];
      for (let kill = 0; kill < 6; kill++) {
        const result = await recover(redis);
        served += result.served;
        wrong += result.wrong;
      }
      expect(wrong).toBe(0);
      expect(served).toBeGreaterThan(500);
      await expectSettled(redis.limiter);
    }
  });

  test('pipelines, transactions, scripts and commands side by side: every answer is its key’s', async () => {
    await using client = await bareRedis(module, server.url);
    const redis = new LimitedRedis(client, { maxConcurrentOps: 40 });
    redis.defineCommand('readKey', { numberOfKeys: 1, lua: 'return redis.call("get", KEYS[1])' });
    const scripted = redis as unknown as { readKey(key: string): Promise<string> };
    let [checked, refused] = [0, 0];
    const expectKeys = async (keys: readonly string[], read: () => Promise<unknown>) => {
      try {
        const values = await read();
        expect(values).toEqual(keys);
        checked += keys.length;
      } catch (error) {
        if (!isBackpressureError(error)) throw error;
        refused++;
      }
    };
    const values = (results: unknown) => (results as [unknown, unknown][]).map(([, value]) => value);
    for (let round = 0; round < 100; round++) {
      const keys = Array.from({ length: 1 + (round % 9) }, anyKey);
      const [key] = keys as [string];
      await Promise.all([
        ...KEYS.slice(0, 20).map((one) => expectKeys([one], async () => [await redis.get(one)])),
        expectKeys(keys, async () => values(await redis.pipeline(keys.map((one) => ['get', one])).exec())),
        expectKeys(keys, async () => values(await redis.multi(keys.map((one) => ['get', one])).exec())),
        expectKeys([key], async () => [await scripted.readKey(key)]),
        expectKeys(keys, () => redis.mget(keys)),
      ]);
    }
    expect(checked).toBeGreaterThan(2_000);
    expect(refused).toBeGreaterThanOrEqual(0);
    await expectSettled(redis.limiter);
  });
});

/** Kills the connection under load; how long until the next answer, and until the load is served again. */
async function recover(redis: Redis) {
  let [served, wrong, closes, answeredAt] = [0, 0, 0, 0];
  let killedAt = Number.POSITIVE_INFINITY;
  let readyAt = Number.POSITIVE_INFINITY;
  const onClose = () => closes++;
  const onReady = () => {
    readyAt = performance.now();
  };
  redis.on('close', onClose);
  redis.on('ready', onReady);
  const offer = () => {
    for (let index = 0; index < PER_MS; index++) {
      const key = anyKey();
      redis.get(key).then(
        (value) => {
          served++;
          if (value !== key) wrong++;
          if (answeredAt === 0 && performance.now() > readyAt) answeredAt = performance.now();
        },
        () => {},
      );
    }
  };
  const id = await redis.client('ID');
  const until = performance.now() + 1_000;
  for (let step = 0; performance.now() < until && answeredAt === 0; step++) {
    offer();
    if (step === 20) {
      killedAt = performance.now();
      void operator.client('KILL', 'ID', id);
    }
    await sleep(1);
  }
  redis.off('close', onClose);
  redis.off('ready', onReady);
  return {
    served,
    wrong,
    closes,
    afterMs: answeredAt === 0 ? Number.POSITIVE_INFINITY : answeredAt - killedAt,
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function show(values: readonly number[]): string {
  return values.map((value) => value.toFixed(0)).join(' ');
}
