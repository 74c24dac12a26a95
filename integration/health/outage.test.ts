import { setTimeout as sleep } from 'node:timers/promises';
import { Health, type HealthOptions } from 'floodgate/health';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { note } from '../field-cases/support/note.js';
import { only } from '../field-cases/support/statistics.js';
import { until } from '../support/faults.js';
import { openLoop } from '../support/open-loop.js';
import { limitedPool } from '../support/pool-under-test.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres/start-postgres.js';

const LIMIT = 40;
const QUICK: HealthOptions = {
  intervalMs: 100,
  failureThreshold: 3,
  successThreshold: 3,
  stalledAfterMs: 500,
  rampMs: 1_000,
};
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres({ dedicated: true });
});
afterAll(() => server?.close());

describe.each([
  ['stops', () => server.stop('immediate'), () => server.start()],
  ['stands still', () => server.pause(), () => server.resume()],
])('a database that %s under load', (name, takeAway, giveBack) => {
  test('makes its instance unready, or degraded, and its limit rises step by step when it is back', async () => {
    await using under = limitedPool(server.url, { maxConcurrentOps: LIMIT }, { max: 10 });
    const { pool, limiter } = under;
    using leaving = new Health({ ...QUICK, required: { orders: pool }, commonFailure: 'leave' });
    using staying = new Health({ ...QUICK, required: { orders: pool }, rampMs: 0 });
    const load = openLoop({ ratePerSecond: 100, durationMs: 9_000 }, () =>
      pool.query('select pg_sleep(0.02)'),
    );
    const begin = performance.now();
    const seconds = () => (performance.now() - begin) / 1_000;

    await sleep(1_500);
    expect([leaving.readyz().status, leaving.report().status, limiter.limit]).toEqual([200, 'ready', LIMIT]);
    await takeAway();
    const away = seconds();
    await until('it is not ready', () => leaving.readyz().status === 503, 3_000);
    const noticed = seconds();
    await until('the other is degraded', () => staying.report().status === 'degraded', 1_000);
    expect(staying.readyz().status).toBe(200);
    expect(limiter.limit).toBe(LIMIT / 10);

    await sleep(500);
    await giveBack();
    const back = seconds();
    await until('it is ready', () => leaving.readyz().status === 200, 5_000);
    const ready = seconds();
    await until('the limit is back', () => limiter.limit === LIMIT, 3_000);
    const whole = seconds();
    const arrivals = await load.answered;
    expect([leaving.report().status, staying.report().status]).toEqual(['ready', 'ready']);

    const after = arrivals.filter(({ dueMs }) => dueMs > whole * 1_000);
    const figures = {
      noticedAfter: noticed - away,
      readyAfter: ready - back,
      rampSeconds: whole - ready,
      servedAfter: only(after, 'served').length / after.length,
    };
    note(`a database that ${name}`, figures);
    const rise = limiter.history().filter(({ reason }) => reason === 'health: re-entry');
    expect(rise.map(({ to }) => to)).toEqual([8, 11, 15, 18, 22, 26, 29, 33, 36, 40]);
    expect(figures.rampSeconds).toBeGreaterThan(0.8);
    expect(figures.servedAfter).toBeGreaterThan(0.95);
  });
});
