import type { Client } from 'aerospike';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openLoop } from '../support/open-loop.js';
import { aerospikeDouble } from '../support/servers/aerospike/start-aerospike.js';
import { bareClient, type ClientUnderTest, limitedClient } from './client-under-test.js';

/** These tests need the test double, whose speed can be set. */
let server: Awaited<ReturnType<typeof aerospikeDouble>>;

beforeAll(async () => {
  server = await aerospikeDouble();
});
afterEach(() => server.double.faults());
afterAll(() => server?.close());

interface Load {
  readonly workers: number;
  /** How long the server works on each get. */
  readonly serviceMs: number;
  readonly ratePerSecond: number;
  readonly seconds: number;
}

/** What callers see who ask at a steady rate and wait for nobody, in each second. */
async function perSecond({ client, key }: ClientUnderTest<Client>, load: Load): Promise<Figures[]> {
  const { workers, serviceMs, ratePerSecond, seconds } = load;
  await server.double.faults({ on: 'read', delayMs: serviceMs, workers });
  const durationMs = seconds * 1_000;
  const arrivals = await openLoop({ ratePerSecond, durationMs }, () => client.get(key(1))).answered;
  return Array.from({ length: seconds }, (_, second) =>
    figuresOf(arrivals.filter(({ dueMs }) => Math.floor(dueMs / 1_000) === second)),
  );
}

type Arrivals = Awaited<ReturnType<typeof openLoop>['answered']>;
type Figures = ReturnType<typeof figuresOf>;

function figuresOf(arrivals: Arrivals) {
  const served = arrivals.filter(({ outcome }) => outcome === 'served').map(({ latencyMs }) => latencyMs);
  served.sort((a, b) => a - b);
  const failed = arrivals.filter(({ outcome }) => outcome === 'failed').length;
  return { served: served.length, failed, p99: served[Math.floor(served.length * 0.99)] ?? Number.NaN };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const servedIn = (seconds: Figures[]) => sum(seconds.map(({ served }) => served));
const p99Of = (seconds: Figures[]) => median(seconds.map(({ p99 }) => p99));

test('when every get takes ten times as long, a fixed limit keeps p99 at that, and the server fully at work', async () => {
  await using limited = await limitedClient(server.hosts, { maxConcurrentOps: 20 });
  await using bare = await bareClient(server.hosts);
  await bare.client.put(bare.key(1), { n: 1 });
  await limited.client.put(limited.key(1), { n: 1 });
  const healthy = { workers: 16, serviceMs: 5, ratePerSecond: 1_000, seconds: 1 };
  const slow = { ...healthy, serviceMs: 50, seconds: 3 };
  const before = await perSecond(limited, healthy);
  await server.double.resetCounts();
  const limitedSlow = await perSecond(limited, slow);
  expect((await server.double.counts()).peakInFlight).toBeLessThanOrEqual(20);
  const after = await perSecond(limited, healthy);
  const bareSlow = await perSecond(bare, slow);

  // 16 workers do 320 a second of the 1,000 that come.
  expect(servedIn(limitedSlow)).toBeGreaterThan(0.85 * 320 * 3);
  expect(p99Of(limitedSlow)).toBeLessThan(3 * slow.serviceMs);
  expect(sum([...before, ...limitedSlow, ...after].map(({ failed }) => failed))).toBe(0);
  expect(servedIn(after)).toBeGreaterThan(0.8 * 1_000);
  // Bare, as many wait as there are connections, a hundred, and what comes on top fails with -7.
  expect(p99Of(bareSlow)).toBeGreaterThan(1.7 * p99Of(limitedSlow));
  expect(sum(bareSlow.map(({ failed }) => failed))).toBeGreaterThan(500);
});

test('when the server does a tenth of its work, an adaptive limit falls with it, which keeps p99 low, and comes back', async () => {
  const limit = 30;
  await using subject = await limitedClient(server.hosts, { maxConcurrentOps: limit, adaptive: true });
  const { client, key } = subject;
  const { limiter } = client;
  await client.put(key(1), { n: 1 });
  const healthy = { workers: limit, serviceMs: 20, ratePerSecond: 2_000, seconds: 4 };
  const slow = { ...healthy, workers: limit / 10, seconds: 8 };
  /** The limits that were in force meanwhile. */
  const limitsDuring = async (load: Load) => {
    const earlier = limiter.history().length;
    const figures = await perSecond(subject, load);
    return {
      figures,
      limits: limiter
        .history()
        .slice(earlier)
        .map(({ to }) => to),
    };
  };
  const before = await limitsDuring(healthy);
  const during = await limitsDuring(slow);
  const after = await limitsDuring({ ...healthy, seconds: 8 });

  const capacity = (slow.workers * 1_000) / slow.serviceMs;
  expect(Math.max(...before.limits)).toBeGreaterThan(0.8 * limit);
  // Three permits would do; each above makes the others wait.
  const lowest = Math.min(...during.limits);
  expect(lowest).toBeLessThanOrEqual(limit / 3);
  // What a fixed limit would have, by Little's law: ten times what it was.
  const fixedP99 = (limit * 1_000) / capacity;
  expect(fixedP99).toBe(10 * healthy.serviceMs);
  expect(p99Of(during.figures.slice(-3))).toBeLessThan(0.6 * fixedP99);
  expect(servedIn(during.figures)).toBeGreaterThan(0.85 * capacity * slow.seconds);
  expect(Math.max(...after.figures.slice(-3).map(({ served }) => served))).toBeGreaterThan(1.5 * capacity);
  expect(Math.max(...after.limits)).toBeGreaterThan(1.3 * lowest);
  expect(sum([...before.figures, ...during.figures, ...after.figures].map(({ failed }) => failed))).toBe(0);
  expect(limiter.stats()).toMatchObject({ inFlight: 0, overloaded: 0 });
});
