import { LimitedRedis } from 'floodgate/ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLoop } from '../support/open-loop.js';
import { type RedisCluster, startRedisCluster } from '../support/servers/redis/start-redis-cluster.js';
import { expectSettled } from './support/clients.js';
import { KEYS, writeKeys } from './support/keys.js';
import { versions } from './support/versions.js';

const LIMIT = 64;
const RATE = 1_000;
/** Enough for a p99 over three seconds. */
const CONTROL_RATE = 300;

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster.close());

describe.each(versions)('%s', (_name, { Cluster }) => {
  // A machine that is busy with something else for a moment fills the limit by itself.
  test.each([false, true])(
    'one of three masters stands still for 3 s under 1,000 get/s: the others are served (auto-pipelining %s)',
    { retry: 2 },
    async (enableAutoPipelining) => {
      const options = { enableAutoPipelining };
      const client = new LimitedRedis(Cluster, { maxConcurrentOps: LIMIT }, [...cluster.nodes], options);
      // Bare, and only for the healthy nodes: what it sees at the same moment is the machine's doing.
      const control = new Cluster([...cluster.nodes], options);
      const { limiter } = client;
      for (const each of [client, control]) each.on('error', () => {});
      await writeKeys(client);
      const sick = cluster.masters[0]!;
      const sickName = `${sick.host}:${sick.port}`;
      const healthyKeys = KEYS.filter((key) => client.slots[slotOf(key)]?.[0] !== sickName);
      await Promise.all(healthyKeys.map((key) => control.get(key)));

      const before = await measure(client, control, healthyKeys, 1_500);
      await before.load.answered;
      await sick.pause();
      const during = await measure(client, control, healthyKeys, 3_000);
      const { inFlight, nodes } = limiter.stats();
      await sick.resume();
      await during.load.answered;
      const after = await measure(client, control, healthyKeys, 1_000);
      const answered = await after.load.answered;

      console.log(
        `healthy nodes' commands: before ${show(before.figures)}, during ${show(during.figures)}, after ${show(after.figures)}; ` +
          `held for the sick node ${nodes[sickName]?.inFlight} of ${inFlight}`,
      );
      expect(before.figures.failed).toBe(0);
      expect(during.figures.failed).toBe(0);
      expect(during.figures.served).toBeGreaterThanOrEqual(0.9);
      const unaffected = Math.max(before.figures.p99, during.figures.controlP99);
      expect(during.figures.p99).toBeLessThanOrEqual(2 * unaffected);
      expect(nodes[sickName]!.rejected).toBeGreaterThan(0);
      expect(nodes[sickName]!.inFlight).toBeLessThanOrEqual(LIMIT * 0.7);
      const servedAfter = answered.filter(({ outcome }) => outcome === 'served').length / answered.length;
      expect(servedAfter).toBeGreaterThan(0.99);
      await expectSettled(limiter);
      expect(limiter.stats().rejectedByReason).toMatchObject({ bulkhead: expect.any(Number) });
      client.disconnect();
      control.disconnect();
    },
  );
});

interface Getter {
  get(key: string): Promise<string | null>;
}

interface Figures {
  readonly served: number;
  readonly p99: number;
  readonly failed: number;
  readonly controlP99: number;
}

/** Gets of all keys through the client, of which those for healthy nodes are looked at, and of these through the control. */
async function measure(client: Getter, control: Getter, healthyKeys: readonly string[], durationMs: number) {
  const isHealthy = new Set(healthyKeys);
  const latencies: number[] = [];
  const controlLatencies: number[] = [];
  let offered = 0;
  let failed = 0;
  const timed = async (getter: Getter, key: string, into: number[]) => {
    const began = performance.now();
    expect(await getter.get(key)).toBe(key);
    into.push(performance.now() - began);
  };
  const load = openLoop({ ratePerSecond: RATE, durationMs }, async (index) => {
    const key = KEYS[(index * 7919) % KEYS.length]!;
    if (!isHealthy.has(key)) return client.get(key);
    offered++;
    return timed(client, key, latencies).catch((error: { code?: string }) => {
      if (error.code !== 'ERR_BACKPRESSURE') failed++;
      throw error;
    });
  });
  const beside = openLoop({ ratePerSecond: CONTROL_RATE, durationMs }, (index) =>
    timed(control, healthyKeys[(index * 31) % healthyKeys.length]!, controlLatencies),
  );
  await Promise.all([load.sent, beside.answered]);
  return {
    load,
    /** As of now: what hangs on the sick node is still open. */
    get figures(): Figures {
      return {
        served: latencies.length / offered,
        p99: p99Of(latencies),
        failed,
        controlP99: p99Of(controlLatencies),
      };
    },
  };
}

function p99Of(latencies: readonly number[]): number {
  return [...latencies].sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)]!;
}

function show({ served, p99, controlP99 }: Figures): string {
  return `${(100 * served).toFixed(1)} % p99 ${p99.toFixed(1)} ms (control ${controlP99.toFixed(1)} ms)`;
}

/** CRC16 of the key, as in the Redis Cluster specification, appendix A. */
function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc % 16_384;
}
