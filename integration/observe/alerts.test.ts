import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { instrument } from 'floodgate/opentelemetry';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Arrival, type OpenLoop, openLoop } from '../support/open-loop.js';
import { type LimitedPoolUnderTest, limitedPool } from '../support/pool-under-test.js';
import { prometheusBinary } from '../support/servers/prometheus/prometheus-binaries.js';
import { type PrometheusServer, startPrometheus } from '../support/servers/prometheus/start-prometheus.js';
import { type ExposedMetrics, exposeMetrics } from './support/exposed-metrics.js';
import { asSent, dockerFolder, queriesOf, quickRules, shippedDashboard } from './support/shipped.js';

/* A real Prometheus, the shipped rules in seconds for minutes, three pools on a real PostgreSQL. */

const { url } = inject('postgres');
const SLEEP = 'select pg_sleep(0.05)';

describe('promtool', () => {
  test.each([
    ['check', 'rules', 'floodgate.rules.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'floodgate.rules.test.yml'],
  ])('%s %s %s', async (...args) => {
    const promtool = await prometheusBinary('promtool', console.log);
    const { stdout } = await promisify(execFile)(promtool, args, { cwd: `${dockerFolder}prometheus` });
    expect(stdout).toContain('SUCCESS');
  });
});

describe('the alerts', () => {
  let exposed: ExposedMetrics;
  let prometheus: PrometheusServer;
  /** 4 connections do 80 queries a second; 60 permits mean waits of up to 0.7 s. */
  let orders: LimitedPoolUnderTest;
  /** The same, with a limit that may not go as low as it would. */
  let adaptive: LimitedPoolUnderTest;
  let reports: LimitedPoolUnderTest;

  beforeAll(async () => {
    exposed = await exposeMetrics();
    orders = limitedPool(url, { name: 'orders', maxConcurrentOps: 60 }, { max: 4 });
    const control = { initial: 30, min: 10, windowMs: 250 };
    adaptive = limitedPool(url, { name: 'adaptive', maxConcurrentOps: 60, adaptive: control }, { max: 4 });
    reports = limitedPool(url, { name: 'reports' });
    for (const { pool } of [orders, adaptive, reports]) instrument(pool, { meter: exposed.meter });
    prometheus = await startPrometheus({
      config: `
global: { scrape_interval: 500ms, evaluation_interval: 500ms }
rule_files: [floodgate.rules.yml]
scrape_configs: [{ job_name: shop, static_configs: [{ targets: ['${exposed.target}'] }] }]
`,
      rules: { 'floodgate.rules.yml': quickRules() },
      log: console.log,
    });
    // It takes its time before the first scrape.
    const deadline = Date.now() + 20_000;
    while ((await prometheus.query('floodgate_limit')).length < 3 && Date.now() < deadline) await sleep(100);
  });
  afterAll(async () => {
    await prometheus?.close();
    for (const each of [orders, adaptive, reports]) await each?.[Symbol.asyncDispose]();
    await exposed?.[Symbol.asyncDispose]();
  });

  /** `alert limiter`, of those that fire. */
  async function firing(): Promise<string[]> {
    const alerts = await prometheus.alerts();
    const named = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
    return named.map((labels) => `${labels.alertname} ${labels.floodgate_limiter}`).sort();
  }

  async function untilFiring(expected: readonly string[], deadlineMs: number): Promise<void> {
    const deadline = Date.now() + deadlineMs;
    for (;;) {
      const now = await firing();
      if (JSON.stringify(now) === JSON.stringify(expected)) return;
      if (Date.now() > deadline) expect(now).toEqual(expected);
      await sleep(250);
    }
  }

  async function value(expression: string): Promise<number> {
    const samples = await prometheus.query(expression);
    expect(samples, expression).toHaveLength(1);
    return samples[0]!.value;
  }

  /** Queries at a fixed rate on both pools, for as long as that takes. */
  async function withLoad(
    ratePerSecond: number,
    meanwhile: () => Promise<void>,
  ): Promise<readonly Arrival[]> {
    const slices: OpenLoop[] = [];
    let done = false;
    const sending = (async () => {
      while (!done) {
        const now = [orders, adaptive].map(({ pool }) =>
          openLoop({ ratePerSecond, durationMs: 500 }, () => pool.query(SLEEP)),
        );
        slices.push(...now);
        await Promise.all(now.map(({ sent }) => sent));
      }
    })();
    try {
      await meanwhile();
    } finally {
      done = true;
      await sending;
    }
    return (await Promise.all(slices.map(({ answered }) => answered))).flat();
  }

  test('fire under a real overload, and clear after it', async () => {
    await withLoad(30, async () => {
      await sleep(3000);
      expect(await firing()).toEqual([]);
      const rejected = 'job_limiter:floodgate_rejected:ratio_rate5m{floodgate_limiter="orders"}';
      expect(await value(rejected)).toBe(0);
      const p95 = 'job_limiter:db_client_operation_duration:p95_rate5m{floodgate_limiter="orders"}';
      expect(await value(p95)).toBeLessThan(0.5);
    });

    // Three times what it can do; and somebody forgets a client.
    const lost = await reports.pool.connect();
    await withLoad(240, async () => {
      await untilFiring(
        [
          'FloodgateLimitPinnedAtMin adaptive',
          'FloodgateOverloaded orders',
          'FloodgatePermitHeldTooLong reports',
        ],
        15_000,
      );
      const rejected = 'job_limiter:floodgate_rejected:ratio_rate5m{floodgate_limiter="orders"}';
      expect(await value(rejected)).toBeGreaterThan(0.4);
      expect(await value(rejected)).toBeLessThan(0.8);
      const wait = 'job_limiter:db_client_connection_wait_time:p95_rate5m{floodgate_limiter="orders"}';
      expect(await value(wait)).toBeGreaterThan(0.5);
      const alerts = await prometheus.alerts();
      const overloaded = alerts.find(({ labels }) => labels.alertname === 'FloodgateOverloaded');
      expect(overloaded!.annotations.summary).toMatch(
        /^orders of shop rejects [4-7]\d(\.\d+)?% and is slow all the same$/,
      );
      await everyQueryOfTheDashboardIsAnswered();
    });
    lost.release();

    const after = await withLoad(30, () => untilFiring([], 15_000));
    expect(after.filter(({ outcome }) => outcome !== 'served')).toEqual([]);
    expect(after.length).toBeGreaterThan(100);
  });

  async function everyQueryOfTheDashboardIsAnswered(): Promise<void> {
    const unanswered: string[] = [];
    for (const { where, expr } of queriesOf(shippedDashboard())) {
      // Long enough to hold the last change of a limit that has found its minimum.
      if ((await prometheus.query(asSent(expr, '30s'))).length === 0) unanswered.push(where);
    }
    // Nothing waits for a permit: there is no queue.
    expect(unanswered).toEqual(['Limit against permits in flight D']);
  }
});
