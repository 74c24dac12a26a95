import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Arrival, openLoop } from '../support/open-loop.js';
import { type LimitedPoolUnderTest, limitedPool } from '../support/pool-under-test.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres/start-postgres.js';
import { note } from './support/note.js';
import { only } from './support/statistics.js';

// Three services of 10 connections each in front of a server that takes 13 in all.
const SERVICES = 3;
const MAX_CONNECTIONS = 13;
let server: PostgresServer;

beforeAll(async () => {
  const settings = { max_connections: MAX_CONNECTIONS, superuser_reserved_connections: 3 };
  server = await startPostgres({ dedicated: true, settings });
});
afterAll(() => server?.close());

type Services = readonly LimitedPoolUnderTest[];

function startServices(maxConcurrentOps: number, config: pg.PoolConfig = {}): Services {
  return Array.from({ length: SERVICES }, () => {
    const service = limitedPool(server.url, { maxConcurrentOps }, { max: 10, ...config });
    onTestFinished(() => service[Symbol.asyncDispose]());
    return service;
  });
}

/** Each service asks 120 times a second for 50 ms of work: 6 connections busy, 18 with the others. */
async function load(services: Services, durationMs: number): Promise<readonly (readonly Arrival[])[]> {
  const ask = ({ pool }: LimitedPoolUnderTest) => pool.query('select pg_sleep(0.05)');
  const loads = services.map((service) => openLoop({ ratePerSecond: 120, durationMs }, () => ask(service)));
  return Promise.all(loads.map(({ answered }) => answered));
}

describe('"sorry, too many clients already" (brianc/node-postgres#557, #1289, #2264)', () => {
  test('counts as overload, one for one; nothing crashes, and it is over when the load is', async () => {
    const crashes: unknown[] = [];
    const onCrash = (error: unknown) => crashes.push(error);
    process.on('uncaughtExceptionMonitor', onCrash);
    onTestFinished(() => void process.removeListener('uncaughtExceptionMonitor', onCrash));
    const services = startServices(10, { idleTimeoutMillis: 100 });

    const arrivals = await load(services, 3_000);
    const refused = arrivals.map((each) => only(each, 'failed').length);
    note('refused by the server', { first: refused[0]!, second: refused[1]!, third: refused[2]! });
    expect(Math.max(...refused)).toBeGreaterThan(10);
    for (const [index, { limiter }] of services.entries()) {
      const codes = only(arrivals[index]!, 'failed').map(({ error }) => (error as pg.DatabaseError).code);
      expect(codes.filter((code) => code !== '53300')).toEqual([]);
      const { overloaded, failed, succeeded, inFlight } = limiter.stats();
      expect({ overloaded, failed, inFlight }).toEqual({
        overloaded: refused[index],
        failed: 0,
        inFlight: 0,
      });
      expect(succeeded).toBe(only(arrivals[index]!, 'served').length);
    }

    // Idle connections go back to the server after 100 ms.
    await sleep(500);
    for (const { pool } of services) {
      expect((await pool.query('select 1 as up')).rows).toEqual([{ up: 1 }]);
    }
    expect(crashes).toEqual([]);
  });

  test('does not happen where the limits together are within what the server takes', async () => {
    const maxConcurrentOps = Math.floor(MAX_CONNECTIONS / SERVICES);
    const services = startServices(maxConcurrentOps);
    const arrivals = await load(services, 2_000);
    for (const each of arrivals) {
      expect(only(each, 'failed')).toEqual([]);
      expect(only(each, 'served').length).toBeGreaterThan(each.length / 2);
    }
    for (const { pool } of services) expect(pool.totalCount).toBeLessThanOrEqual(maxConcurrentOps);
  });
});
