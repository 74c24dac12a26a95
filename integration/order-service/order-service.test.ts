import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { note } from '../field-cases/support/note.js';
import { percentile } from '../field-cases/support/statistics.js';
import type { Exposition } from '../observe/support/exposition.js';
import { answersOf, type Hammer, hammer } from '../support/http-hammer.js';
import { type RunningOrderService, startOrderService } from './support/running-order-service.js';

const { url } = inject('postgres');

/** Sum of the samples with these labels. */
function total({ samples }: Exposition, name: string, labels: Readonly<Record<string, string>>): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

function placeOrder({ address }: RunningOrderService, order: object): Promise<Response> {
  return fetch(`${address}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
}

async function readiness({ address }: RunningOrderService) {
  const answer = await fetch(`${address}/readyz`);
  const report = (await answer.json()) as {
    status: string;
    dependencies: Record<string, { status: string }>;
  };
  return { code: answer.status, status: report.status, redis: report.dependencies.redis?.status };
}

/** Calls until the load is stopped, and what came of it. */
async function meanwhile<T>(
  load: Hammer,
  durationMs: number,
  pauseMs: number,
  call: () => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const end = performance.now() + durationMs; performance.now() < end; await sleep(pauseMs)) {
    results.push(await call());
  }
  await load.stop();
  return results;
}

/** What it serves in a second, asked by as many as it has connections: these it never rejects. */
async function capacityOf(target: string): Promise<number> {
  const load = hammer(target, { connections: 10 });
  await sleep(500);
  const before = answersOf(load);
  await sleep(1_500);
  const perSecond = (answersOf(load) - before) / 1.5;
  await load.stop();
  expect(Object.keys(load.answers)).toEqual(['200']);
  return Math.round(perSecond);
}

describe('the order service', () => {
  test('shows an order, takes one, and says what is wrong with others', async () => {
    await using service = await startOrderService(url);
    const { address } = service;
    const placed = await placeOrder(service, { customer: 'Ada', product: 7, quantity: 2 });
    expect([placed.status, await placed.json()]).toEqual([201, { id: 100_001 }]);
    const shown = await fetch(`${address}${placed.headers.get('location')}`);
    expect([shown.status, await shown.json()]).toEqual([
      200,
      { id: 100_001, customer: 'Ada', product: 7, quantity: 2, placedAt: expect.any(String), ahead: 100_000 },
    ]);
    const { rows } = await service.database.query('select stock from products where id = 7');
    expect(rows).toEqual([{ stock: 999_998 }]);
    expect((await placeOrder(service, { customer: 'Ada', product: 7, quantity: 1_000_000 })).status).toBe(
      409,
    );
    expect((await placeOrder(service, { customer: 'Ada' })).status).toBe(400);
    expect((await fetch(`${address}/orders/100009`)).status).toBe(404);
    expect((await fetch(`${address}/orders/x`)).status).toBe(400);
    expect((await fetch(`${address}/livez`)).status).toBe(200);
  });

  test('at three times its capacity answers everybody: served, or told when to come back', async () => {
    await using service = await startOrderService(url);
    const target = `${service.address}/orders/1`;
    const capacity = await capacityOf(target);
    const retryAfter = new Set<string | undefined>();
    const load = hammer(target, {
      connections: 200,
      overallRate: 3 * capacity,
      onAnswer: (status, headers) => {
        if (status === 503) retryAfter.add(headers['retry-after']);
      },
    });
    const orders: number[] = [];
    const probes = await meanwhile(load, 5_000, 50, async () => {
      const begin = performance.now();
      const { code } = await readiness(service);
      const latency = performance.now() - begin;
      orders.push((await placeOrder(service, { customer: 'Ada', product: 7, quantity: 1 })).status);
      return { code, latency };
    });

    const { 200: served = 0, 503: rejected = 0, ...others } = load.answers;
    const latencies = probes.map(({ latency }) => latency);
    const placed = orders.filter((status) => status === 201).length;
    note('order service at 3x', { capacity, served, rejected, placed, probe: percentile(latencies, 0.5) });
    expect([others, load.errors]).toEqual([{}, {}]);
    expect(served).toBeGreaterThan(50);
    expect(rejected).toBeGreaterThan(served / 2);
    expect([...retryAfter].sort()).toEqual(['1', '2', '3']);
    expect(new Set(probes.map(({ code }) => code))).toEqual(new Set([200]));

    // Whole orders or none: what was taken from the stock was sold.
    expect(orders.filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(placed).toBeGreaterThan(0);
    const { rows } = await service.database.query(
      "select 1000000 - stock as taken, (select count(*)::int from orders where customer = 'Ada') as sold from products where id = 7",
    );
    expect(rows).toEqual([{ taken: placed, sold: placed }]);

    const metrics = await service.metrics();
    const queries = { floodgate_limiter: 'postgres', floodgate_operation_class: 'query' };
    // Each 503 is one rejected query. When the load stops, up to 200 requests are dropped by their senders.
    const rejections = total(metrics, 'floodgate_rejected_total', queries);
    expect(rejections).toBeGreaterThanOrEqual(rejected);
    expect(rejections).toBeLessThanOrEqual(rejected + 200);
    expect(total(metrics, 'floodgate_admitted_total', queries)).toBeGreaterThan(served);
    const durations = { db_system_name: 'postgresql', db_operation_name: 'query' };
    expect(total(metrics, 'db_client_operation_duration_count', durations)).toBeGreaterThan(served);
    const lines = service.child.lines.filter((line) => line.includes('"rejected":{"postgres":'));
    expect(lines.length).toBeGreaterThan(2);
  });

  test('serves orders without its cache, and says that it is degraded', async () => {
    await using service = await startOrderService(url);
    const load = hammer(`${service.address}/orders/1`, { connections: 2, overallRate: 50 });
    await expect.poll(() => readiness(service)).toEqual({ code: 200, status: 'ready', redis: 'up' });
    await service.redis.stop();
    const before = answersOf(load);
    await expect
      .poll(() => readiness(service), { timeout: 15_000, interval: 100 })
      .toEqual({ code: 200, status: 'degraded', redis: 'down' });
    expect(answersOf(load)).toBeGreaterThan(before);
    await service.redis.start();
    await expect
      .poll(() => readiness(service), { timeout: 15_000, interval: 100 })
      .toEqual({ code: 200, status: 'ready', redis: 'up' });
    await load.stop();
    // Nobody has noticed anything.
    expect([Object.keys(load.answers), load.errors]).toEqual([['200'], {}]);
  });

  test('ends at SIGTERM under load, and has answered all that it accepted', async () => {
    await using service = await startOrderService(url, { NOTICE_MS: '500' });
    const load = hammer(`${service.address}/orders/1`, { connections: 50, overallRate: 1_000 });
    await sleep(1_500);
    service.child.process.kill('SIGTERM');
    const end = service.child.ended();
    let probes = 0;
    do probes++;
    while ((await readiness(service)).code === 200);
    const { code, signal, afterMs } = await end;
    await load.stop();

    const { accepted, answered } = JSON.parse(await service.child.line('the end'));
    note('order service at SIGTERM', { accepted, answered, afterMs, ...load.answers });
    expect([code, signal]).toEqual([0, null]);
    expect(afterMs).toBeLessThan(15_000);
    expect(answered).toBe(accepted);
    expect(answersOf(load) + probes).toBe(accepted);
    expect(Object.keys(load.answers)).toEqual(['200', '503']);
    // Those came when nobody listened any more.
    expect(
      Object.keys(load.errors).filter((name) => name !== 'ECONNREFUSED' && name !== 'ECONNRESET'),
    ).toEqual([]);
  });
});
