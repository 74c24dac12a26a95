import type { HistogramMetricData } from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CollectedMetrics, collectMetrics } from '../../integration/support/collect-metrics.js';
import { Limiter } from '../adaptive/limiter.js';
import { instrument } from './instrument.js';

let sdk: CollectedMetrics;
beforeEach(() => {
  sdk = collectMetrics();
});
afterEach(async () => {
  await sdk[Symbol.asyncDispose]();
});

let now = 0;
const clock = () => now;

/** A limiter that has seen a little of everything: 2 held (the older for 3 s), 3 done, 4 rejected. */
function busyLimiter(name: string): Limiter {
  now = 0;
  const limiter = new Limiter({ name, maxConcurrentOps: 4, bulkheads: { scan: 1 }, now: clock });
  for (const outcome of ['success', 'failed', 'overload'] as const) {
    const permit = limiter.acquire({ operationClass: 'query' });
    now += 40;
    permit.release(outcome);
  }
  limiter.acquire({ operationClass: 'scan' });
  now += 1000;
  limiter.tryAcquire({ operationClass: 'scan' });
  limiter.acquire({ operationClass: 'query' });
  limiter.resize(2);
  for (let times = 0; times < 3; times++) limiter.tryAcquire({ operationClass: 'query' });
  now += 2000;
  return limiter;
}

const ORDERS = { 'floodgate.limiter': 'orders' };

test('the gauges are those of the limiter at the time of the export', async () => {
  const limiter = busyLimiter('orders');
  instrument(limiter, { meter: sdk.meter });
  expect(await sdk.series('floodgate.limit')).toEqual([[ORDERS, 2]]);
  expect(await sdk.series('floodgate.limit.max')).toEqual([[ORDERS, 4]]);
  expect(await sdk.series('floodgate.limit.min')).toEqual([]);
  expect(await sdk.series('floodgate.in_flight')).toEqual([[ORDERS, 2]]);
  expect(await sdk.series('floodgate.waiting')).toEqual([[ORDERS, 0]]);
  expect(await sdk.series('floodgate.permit.oldest_age')).toEqual([[ORDERS, 3]]);
  limiter.resize(3);
  now += 500;
  expect(await sdk.series('floodgate.limit')).toEqual([[ORDERS, 3]]);
  expect(await sdk.series('floodgate.permit.oldest_age')).toEqual([[ORDERS, 3.5]]);
});

test('the bounds of an adaptive limit are its own', async () => {
  const adaptive = { initial: 10, min: 5, max: 50 };
  instrument(new Limiter({ maxConcurrentOps: 100, adaptive, name: 'orders' }), { meter: sdk.meter });
  expect(await sdk.series('floodgate.limit')).toEqual([[ORDERS, 10]]);
  expect(await sdk.series('floodgate.limit.min')).toEqual([[ORDERS, 5]]);
  expect(await sdk.series('floodgate.limit.max')).toEqual([[ORDERS, 50]]);
  expect(await sdk.series('floodgate.limit.proposed')).toEqual([]);
});

test('what a limit in shadow mode would be is a gauge beside the limit, which ends as zero', async () => {
  const limiter = new Limiter({
    maxConcurrentOps: 100,
    adaptive: { initial: 10, observe: true },
    name: 'orders',
  });
  const undo = instrument(limiter, { meter: sdk.meter });
  expect(await sdk.series('floodgate.limit')).toEqual([[ORDERS, 100]]);
  expect(await sdk.series('floodgate.limit.proposed')).toEqual([[ORDERS, 10]]);
  undo();
  expect(await sdk.series('floodgate.limit.proposed')).toEqual([[ORDERS, 0]]);
});

test('admitted and rejected are counted by class and reason, from the limiter on, beginning at zero', async () => {
  const limiter = busyLimiter('orders');
  instrument(limiter, { meter: sdk.meter });
  const query = { ...ORDERS, 'floodgate.operation.class': 'query' };
  const scan = { ...ORDERS, 'floodgate.operation.class': 'scan' };
  expect(await sdk.series('floodgate.admitted')).toEqual([
    [query, 4],
    [scan, 1],
  ]);
  expect(await sdk.series('floodgate.rejected')).toEqual([
    [{ ...query, 'floodgate.reason': 'limit' }, 3],
    [{ ...scan, 'floodgate.reason': 'bulkhead' }, 1],
    [{ ...scan, 'floodgate.reason': 'limit' }, 0],
  ]);
  limiter.tryAcquire({ operationClass: 'query' });
  expect(await sdk.series('floodgate.rejected')).toContainEqual([
    { ...query, 'floodgate.reason': 'limit' },
    4,
  ]);
});

test('changes of the limit are counted by direction and a word for the reason', async () => {
  const limiter = new Limiter({ name: 'orders', maxConcurrentOps: 20 });
  instrument(limiter, { meter: sdk.meter });
  const changes = (direction: string, reason: string) => ({
    ...ORDERS,
    'floodgate.direction': direction,
    'floodgate.reason': reason,
  });
  expect(await sdk.series('floodgate.limit.changes')).toEqual([
    [changes('down', 'resize'), 0],
    [changes('up', 'resize'), 0],
  ]);
  limiter.resize(10);
  limiter.resize(5);
  limiter.resize(6);
  limiter.gate.setLimit(5, 'overload 12 % of answers: cut', undefined);
  expect(await sdk.series('floodgate.limit.changes')).toEqual([
    [changes('down', 'overload'), 1],
    [changes('down', 'resize'), 2],
    [changes('up', 'resize'), 1],
  ]);
});

describe('the histograms', () => {
  const BOUNDARIES = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
  const ofQueries = { ...ORDERS, 'db.system.name': 'other', 'db.operation.name': 'query' };

  test('hold durations in seconds, by class and outcome, in the buckets of the conventions', async () => {
    const limiter = new Limiter({ name: 'orders', now: clock });
    instrument(limiter, { meter: sdk.meter });
    const take = (ms: number, outcome: 'success' | 'failed' | 'overload' | 'ignored') => {
      const permit = limiter.acquire({ operationClass: 'query' });
      now += ms;
      permit.release(outcome);
    };
    now = 0;
    take(0.5, 'success');
    take(30, 'success');
    take(70, 'failed');
    take(700, 'overload');
    take(5, 'ignored');
    const { dataPoints, descriptor } = (await sdk.collect())[
      'db.client.operation.duration'
    ] as HistogramMetricData;
    expect(descriptor.unit).toBe('s');
    expect(dataPoints.map(({ attributes, value }) => [attributes, value.count, value.sum])).toEqual([
      [ofQueries, 2, 0.0305],
      [{ ...ofQueries, 'error.type': 'failed' }, 1, 0.07],
      [{ ...ofQueries, 'error.type': 'overload' }, 1, 0.7],
    ]);
    expect(dataPoints[0]!.value.buckets).toEqual({
      boundaries: BOUNDARIES,
      counts: [1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    });
  });

  test('hold the wait for a connection and the time to make one, by pool', async () => {
    const limiter = new Limiter({ name: 'orders' });
    instrument(limiter, { meter: sdk.meter, system: 'postgresql' });
    limiter.gate.recordPoolWait(20);
    limiter.gate.recordConnectTime(300);
    const metrics = await sdk.collect();
    const figures = ['wait_time', 'create_time'].map((name) => {
      const metric = metrics[`db.client.connection.${name}`] as HistogramMetricData;
      const [{ attributes, value }] = metric.dataPoints as [HistogramMetricData['dataPoints'][0]];
      return [metric.descriptor.unit, value.sum, value.buckets.boundaries, attributes];
    });
    const ofPool = {
      ...ORDERS,
      'db.system.name': 'postgresql',
      'db.client.connection.pool.name': 'orders',
    };
    expect(figures).toEqual([
      ['s', 0.02, BOUNDARIES, ofPool],
      ['s', 0.3, BOUNDARIES, ofPool],
    ]);
  });

  test('record every operation of a burst', async () => {
    const limiter = new Limiter();
    instrument(limiter, { meter: sdk.meter });
    for (let count = 0; count < 10_000; count++) limiter.acquire().release();
    const [[, value]] = (await sdk.series('db.client.operation.duration')) as [[unknown, { count: number }]];
    expect(value.count).toBe(10_000);
  });

  test('are not there with `histograms: false`, and then no operation is timed for them', async () => {
    const limiter = new Limiter({ name: 'orders' });
    instrument(limiter, { meter: sdk.meter, histograms: false });
    for (let count = 0; count < 10_000; count++) limiter.acquire().release();
    expect(Object.keys(await sdk.collect()).filter((name) => name.startsWith('db.'))).toEqual([]);
    expect(limiter.gate.clock.sample()).toBeNaN();
    expect(await sdk.series('floodgate.admitted')).toEqual([
      [{ ...ORDERS, 'floodgate.operation.class': 'default' }, 10_000],
    ]);
  });
});

test('two pools are two series of everything', async () => {
  for (const name of ['orders', 'search']) {
    const limiter = new Limiter({ name, maxConcurrentOps: 2 });
    instrument(limiter, { meter: sdk.meter });
    limiter.acquire().release();
    limiter.resize(1);
    limiter.gate.recordPoolWait(1);
  }
  const metrics = Object.values(await sdk.collect());
  expect(metrics.map(({ descriptor }) => descriptor.name).sort()).toEqual([
    'db.client.connection.wait_time',
    'db.client.operation.duration',
    'floodgate.admitted',
    'floodgate.in_flight',
    'floodgate.limit',
    'floodgate.limit.changes',
    'floodgate.limit.max',
    'floodgate.permit.oldest_age',
    'floodgate.rejected',
    'floodgate.waiting',
  ]);
  for (const { descriptor, dataPoints } of metrics) {
    const limiters = new Set(dataPoints.map(({ attributes }) => attributes['floodgate.limiter']));
    expect([descriptor.name, [...limiters].sort()]).toEqual([descriptor.name, ['orders', 'search']]);
  }
});

describe('attributes', () => {
  test('of your own are on every series, beside ours', async () => {
    const limiter = busyLimiter('orders');
    instrument(limiter, { meter: sdk.meter, attributes: { 'db.namespace': 'shop' } });
    limiter.resize(3);
    limiter.acquire({ operationClass: 'query' }).release();
    limiter.gate.recordPoolWait(1);
    for (const { dataPoints } of Object.values(await sdk.collect())) {
      for (const { attributes } of dataPoints) {
        expect(attributes).toMatchObject({ 'db.namespace': 'shop', 'floodgate.limiter': 'orders' });
      }
    }
  });

  test('stay bounded, and hold nothing of an operation, whatever operations are called', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    instrument(limiter, { meter: sdk.meter });
    for (let count = 0; count < 1000; count++) {
      const op = { operation: `select ${count} from secrets`, operationClass: `class ${count}` };
      const permit = limiter.acquire(op);
      limiter.tryAcquire(op);
      permit.release();
    }
    const metrics = Object.values(await sdk.collect());
    const most = Math.max(...metrics.map(({ dataPoints }) => dataPoints.length));
    expect(most).toBe(64);
    expect(JSON.stringify(metrics)).not.toContain('secrets');
  });
});
