import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { type Arrival, openLoop } from '../support/open-loop.js';
import { barePool, limitedPool } from '../support/pool-under-test.js';
import { capacityOf } from './support/capacity.js';
import { note } from './support/note.js';
import { latencies, median, only } from './support/statistics.js';

const CONNECTIONS = 10;
const { url } = inject('postgres');
const work = (pool: pg.Pool) => pool.query('select pg_sleep(0.05)');
let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

/** A service as an orchestrator sees it: is the process alive, and does its database answer? */
async function serve(probe: () => Promise<unknown>): Promise<string> {
  server = createServer((request, response) => {
    if (request.url === '/live') response.end('alive');
    else {
      probe().then(
        () => response.end('ready'),
        () => response.writeHead(503).end(),
      );
    }
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function get(address: string): Promise<void> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  await response.text();
}

/**
 * Both probes ten times a second, first with nothing else to do and then beside three times the capacity of work.
 * `live` and `ready`: how many milliseconds longer their median answer takes then.
 */
async function probeUnderLoad(
  { pool, workers, durationMs }: { pool: pg.Pool; workers: number; durationMs: number },
  probe: () => Promise<unknown>,
) {
  const address = await serve(probe);
  const poll = (path: string, forMs: number) =>
    openLoop({ ratePerSecond: 10, durationMs: forMs }, () => get(`${address}${path}`)).answered;
  const idle = await Promise.all([poll('/live', 1_000), poll('/ready', 1_000)]);

  const capacity = await capacityOf(() => work(pool), workers);
  const load = openLoop({ ratePerSecond: 3 * capacity, durationMs }, () => work(pool));
  const [live, ready] = await Promise.all([poll('/live', durationMs), poll('/ready', durationMs)]);
  const worked = await load.answered;
  const medianOf = (arrivals: readonly Arrival[]) => median(latencies(arrivals, 'served'));
  return {
    live: medianOf(live) - medianOf(idle[0]),
    ready: medianOf(ready) - medianOf(idle[1]),
    slowest: Math.max(...latencies(ready, 'served')),
    goodput: only(worked, 'served').length / (durationMs / 1000) / capacity,
    unanswered: only(live, 'failed').length + only(ready, 'failed').length,
  };
}

describe('readiness probes beside three times the capacity (PostHog#46457, hindsight#3329)', () => {
  test('bare: the probe stands in line with the work', async () => {
    await using bare = barePool(url, { max: CONNECTIONS });
    const { pool } = bare;
    const load = { pool, workers: CONNECTIONS, durationMs: 2_000 };
    const { live, ready, slowest } = await probeUnderLoad(load, () => pool.query('select 1'));
    note('bare', { live, ready, slowest });
    expect(ready).toBeGreaterThan(500);
  });

  test('limited, the probe over a small pool of its own: whatever the work does, it is answered at once', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: CONNECTIONS }, { max: CONNECTIONS });
    await using probes = limitedPool(url, { name: 'probe', maxConcurrentOps: 2 }, { max: 1 });
    const probe = () => probes.pool.query('select 1');
    const load = { pool: limited.pool, workers: CONNECTIONS, durationMs: 5_000 };
    const { unanswered, ...figures } = await probeUnderLoad(load, probe);
    note('a pool of its own', figures);
    expect(unanswered).toBe(0);
    expect(figures.live).toBeLessThan(20);
    expect(figures.ready).toBeLessThan(20);
    expect(figures.goodput).toBeGreaterThan(0.9);
    expect(probes.limiter.stats()).toMatchObject({ rejected: 0, inFlight: 0 });
  });

  test('limited, one permit kept by a bulkhead: work by `query` leaves a connection to the probe by `connect`', async () => {
    const options = { maxConcurrentOps: CONNECTIONS, bulkheads: { query: CONNECTIONS - 1 } };
    await using limited = limitedPool(url, options, { max: CONNECTIONS });
    const probe = async () => {
      const client = await limited.pool.connect();
      await client.query('select 1').finally(() => client.release());
    };
    const load = { pool: limited.pool, workers: CONNECTIONS - 1, durationMs: 5_000 };
    const { unanswered, ...figures } = await probeUnderLoad(load, probe);
    note('one permit kept', figures);
    expect(unanswered).toBe(0);
    expect(figures.live).toBeLessThan(20);
    expect(figures.ready).toBeLessThan(20);
    expect(figures.goodput).toBeGreaterThan(0.9);
    expect(limited.limiter.stats().classes.transaction).toMatchObject({ rejected: 0, inFlight: 0 });
  });
});
