import { setTimeout as sleep } from 'node:timers/promises';
import { instrument } from 'floodgate/opentelemetry';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type LimitedPoolUnderTest, limitedPool } from '../support/pool-under-test.js';
import { type ExposedMetrics, exposeMetrics } from './support/exposed-metrics.js';
import type { Exposition } from './support/exposition.js';

/* What a real Prometheus would be given: a pool on a real PostgreSQL, scraped from OpenTelemetry's own exporter. */

const { url } = inject('postgres');

let exposed: ExposedMetrics;
let under: LimitedPoolUnderTest;
let exposition: Exposition;

/** 4 run, of which one fails; 2 are rejected; the limit is lowered by one; one client stays out for half a second. */
beforeAll(async () => {
  exposed = await exposeMetrics();
  under = limitedPool(url, { name: 'orders', maxConcurrentOps: 4 }, { max: 2 });
  const { pool } = under;
  instrument(pool, { meter: exposed.meter, attributes: { 'db.namespace': 'shop' } });
  // Connections that are there already, so that two of four wait.
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of clients) client.release();
  const queries = [
    'select pg_sleep(0.2)',
    'select pg_sleep(0.2)',
    'select 1',
    'select 1 / 0',
    'select 1',
    'select 1',
  ];
  const answers = await Promise.allSettled(queries.map((query) => pool.query(query)));
  expect(answers.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'fulfilled'],
    ...['rejected', 'rejected', 'rejected'],
  ]);
  pool.limiter.resize(3);
  const held = await pool.connect();
  await sleep(500);
  exposition = await exposed.scrape();
  held.release();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
  await exposed[Symbol.asyncDispose]();
});

/** Values of a metric, with the labels that tell its series apart. */
function seriesOf(name: string, ...labels: string[]): Record<string, number> {
  const series = exposition.samples.filter((sample) => sample.name === name);
  return Object.fromEntries(
    series.map((sample) => [labels.map((label) => sample.labels[label] ?? '-').join(' '), sample.value]),
  );
}

test('names and types are these', () => {
  expect(Object.fromEntries(exposition.types)).toEqual({
    target_info: 'gauge',
    floodgate_limit: 'gauge',
    floodgate_limit_max: 'gauge',
    floodgate_in_flight: 'gauge',
    floodgate_waiting: 'gauge',
    floodgate_permit_oldest_age: 'gauge',
    floodgate_admitted_total: 'counter',
    floodgate_rejected_total: 'counter',
    floodgate_limit_changes_total: 'counter',
    db_client_operation_duration: 'histogram',
    db_client_connection_wait_time: 'histogram',
    db_client_connection_create_time: 'histogram',
  });
});

test('every series has the name of its limiter, and what was added', () => {
  const ours = exposition.samples.filter(({ name }) => name !== 'target_info');
  expect(ours.length).toBeGreaterThan(40);
  for (const { labels } of ours) {
    expect(labels).toMatchObject({ floodgate_limiter: 'orders', db_namespace: 'shop' });
  }
});

describe('the figures are those of the pool:', () => {
  test('gauges', () => {
    expect(seriesOf('floodgate_limit', 'floodgate_limiter')).toEqual({ orders: 3 });
    expect(seriesOf('floodgate_limit_max', 'floodgate_limiter')).toEqual({ orders: 4 });
    expect(seriesOf('floodgate_in_flight', 'floodgate_limiter')).toEqual({ orders: 1 });
    expect(seriesOf('floodgate_waiting', 'floodgate_limiter')).toEqual({ orders: 0 });
    const { orders } = seriesOf('floodgate_permit_oldest_age', 'floodgate_limiter');
    expect(orders).toBeGreaterThan(0.45);
    expect(orders).toBeLessThan(3);
  });

  test('admitted and rejected, by class', () => {
    expect(seriesOf('floodgate_admitted_total', 'floodgate_operation_class')).toEqual({
      query: 4,
      transaction: 3,
    });
    expect(seriesOf('floodgate_rejected_total', 'floodgate_operation_class', 'floodgate_reason')).toEqual({
      'query limit': 2,
      'transaction limit': 0,
    });
  });

  test('changes of the limit', () => {
    expect(seriesOf('floodgate_limit_changes_total', 'floodgate_direction', 'floodgate_reason')).toEqual({
      'up resize': 0,
      'down resize': 1,
    });
  });

  test('durations, of which one failed', () => {
    const labels = ['db_system_name', 'db_operation_name', 'error_type'];
    expect(seriesOf('db_client_operation_duration_count', ...labels)).toEqual({
      'postgresql query -': 3,
      'postgresql query failed': 1,
    });
    const sum = seriesOf('db_client_operation_duration_sum', ...labels)['postgresql query -']!;
    expect(sum).toBeGreaterThan(0.4);
    expect(sum).toBeLessThan(1.5);
    const buckets = seriesOf('db_client_operation_duration_bucket', 'error_type', 'le');
    expect(buckets['- 0.1']).toBe(1);
    expect(buckets['- +Inf']).toBe(3);
    expect(Object.keys(buckets).filter((key) => key.startsWith('- '))).toEqual(
      ['0.001', '0.005', '0.01', '0.05', '0.1', '0.5', '1', '5', '10', '+Inf'].map((le) => `- ${le}`),
    );
  });

  test('of five checkouts two waited for a connection; two connections were made before', () => {
    const pool = 'db_client_connection_pool_name';
    expect(seriesOf('db_client_connection_wait_time_count', pool)).toEqual({ orders: 5 });
    const buckets = seriesOf('db_client_connection_wait_time_bucket', 'le');
    expect([buckets['0.1'], buckets['+Inf']]).toEqual([3, 5]);
    expect(seriesOf('db_client_connection_create_time_count', pool)).toEqual({ orders: 2 });
  });
});

test('no text of a query is anywhere in it', () => {
  expect(exposition.text).not.toMatch(/select|pg_sleep/);
});
