import { LimitedRedis } from 'floodgate/ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisSentinelSet, startRedisSentinel } from '../support/servers/redis/start-redis-sentinel.js';
import { expectSettled, tally, times, untilReady } from './support/clients.js';
import { versions } from './support/versions.js';

let set: RedisSentinelSet;
beforeAll(async () => {
  set = await startRedisSentinel();
});
afterAll(() => set.close());

describe.each(versions)('%s', (_name, { Redis }) => {
  test('a master crashes under load: the client finds the new one, and nothing is held', async () => {
    const options = { sentinels: [...set.sentinels], name: set.name, maxRetriesPerRequest: null };
    const client = new LimitedRedis(new Redis(options), { maxConcurrentOps: 5 });
    client.on('error', () => {});
    await untilReady(client);
    await client.set('k', 'v');
    const { limiter } = client;
    expect(await tally(times(20, () => client.get('k')))).toMatchObject({ served: 5, refused: 15 });

    const master = await currentMaster(Redis);
    await master.stop('crash');
    const calls: Promise<unknown>[] = [];
    const load = setInterval(() => {
      for (let index = 0; index < 20; index++) calls.push(client.get('k').catch(() => {}));
    }, 5);
    await vi.waitFor(async () => expect(await client.set('k', 'v')).toBe('OK'), {
      timeout: 20_000,
      interval: 50,
    });
    clearInterval(load);
    await Promise.all(calls);
    await expectSettled(limiter);
    expect(limiter.stats().peakInFlight).toBe(5);
    client.disconnect();
    // It comes back as a replica, for the next one.
    await master.start();
    await vi.waitFor(async () => expect(await isConnectedReplica(Redis, master.url)).toBe(true), {
      timeout: 20_000,
      interval: 100,
    });
  });
});

type RedisClass = (typeof versions)[number][1]['Redis'];

async function currentMaster(Redis: RedisClass) {
  const sentinel = new Redis({ ...set.sentinels[0]!, protocol: 2 });
  const [, port] = (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', set.name)) as string[];
  sentinel.disconnect();
  return set.servers.find((server) => server.port === Number(port))!;
}

async function isConnectedReplica(Redis: RedisClass, url: string): Promise<boolean> {
  const client = new Redis(url);
  client.on('error', () => {});
  const [role, , , state] = (await client.call('ROLE')) as unknown[];
  client.disconnect();
  return role === 'slave' && state === 'connected';
}
