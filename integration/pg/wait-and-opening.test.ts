import { setTimeout as sleep } from 'node:timers/promises';
import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import { describe, expect, inject, test, vi } from 'vitest';
import { startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import { timesOf } from '../support/pool-times.js';
import { type LimitedPoolUnderTest, limitedPool } from '../support/pool-under-test.js';

/*
 * Who waits in the pool's queue for a place that a lost connection leaves, has a connection opened after the wait: two
 * times, of which only the first says how busy the pool is.
 */

const { url } = inject('postgres');
const { hostname: host, port } = new URL(url);

const forms = {
  'connect()': async (pool: pg.Pool) => (await pool.connect()).release(),
  'connect(callback)': (pool: pg.Pool) =>
    new Promise<void>((resolve, reject) => {
      pool.connect((error, _client, done) => {
        if (error) return reject(error);
        done();
        resolve();
      });
    }),
  'query()': async (pool: pg.Pool) => void (await pool.query('select 1')),
  'query(callback)': (pool: pg.Pool) =>
    new Promise<void>((resolve, reject) => {
      pool.query('select 1', (error) => (error ? reject(error) : resolve()));
    }),
};

const told = (answer: Promise<unknown>) =>
  answer.then(
    () => 'ok',
    (error: Error & { code?: string }) => error.code ?? error.message,
  );

/** Takes the one connection of a pool; its loss is nothing that its holder cares for. */
async function takeOnly(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  client.on('error', () => {});
  return client;
}

function expectAllBack({ limiter }: LimitedPoolUnderTest, outcomes: object): void {
  expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, doubleReleases: 0, ...outcomes });
}

describe.each(Object.entries(forms))('%s that waits for a place', (_, call) => {
  test('and has a connection opened has its wait and the opening apart', async () => {
    await using under = limitedPool(url, {}, { max: 1 });
    const client = await takeOnly(under.pool);
    const { waits, openings } = timesOf(under.limiter);
    const waiting = call(under.pool);
    await sleep(400);
    client.release(true);
    await waiting;
    expect([waits.length, openings.length]).toEqual([1, 1]);
    expect(waits[0]).toBeGreaterThan(350);
    expect(openings[0]).toBeGreaterThan(0.5);
    expect(openings[0]).toBeLessThan(200);
    expect(under.limiter.stats().poolWait.p95).toBeGreaterThan(330);
    expectAllBack(under, { admitted: 2, succeeded: 2 });
  });

  test('and has a slow connection opened waits no longer for that', async () => {
    const verify = (_client: pg.PoolClient, done: (error?: Error) => void) => setTimeout(done, 400);
    await using under = limitedPool(url, {}, { max: 1, verify });
    const client = await takeOnly(under.pool);
    const { waits, openings } = timesOf(under.limiter);
    const waiting = call(under.pool);
    await sleep(100);
    client.release(true);
    await waiting;
    expect([waits.length, openings.length]).toEqual([1, 1]);
    expect(waits[0]).toBeGreaterThan(80);
    expect(waits[0]).toBeLessThan(300);
    expect(openings[0]).toBeGreaterThan(380);
  });

  test('and has a client left to it has waited all the time', async () => {
    await using under = limitedPool(url, {}, { max: 1 });
    const client = await takeOnly(under.pool);
    const { waits, openings } = timesOf(under.limiter);
    const waiting = call(under.pool);
    await sleep(300);
    client.release();
    await waiting;
    expect([waits.length, openings.length]).toEqual([1, 0]);
    expect(waits[0]).toBeGreaterThan(250);
  });

  test('and whose connection cannot be opened has waited all the same', async () => {
    await using proxy = await startFaultProxy({ host, port: Number(port) });
    await using under = limitedPool(throughProxy(url, proxy), {}, { max: 1 });
    const client = await takeOnly(under.pool);
    const { waits, openings } = timesOf(under.limiter);
    const waiting = told(call(under.pool));
    await sleep(300);
    await proxy.close();
    client.release(true);
    expect(await waiting).toBe('ECONNREFUSED');
    expect([waits.length, openings.length]).toEqual([1, 0]);
    expect(waits[0]).toBeGreaterThan(250);
    expectAllBack(under, { admitted: 2, overloaded: 1 });
  });

  test('longer than connectionTimeoutMillis has waited so long', async () => {
    await using under = limitedPool(url, {}, { max: 1, connectionTimeoutMillis: 300 });
    const client = await takeOnly(under.pool);
    const { waits, openings } = timesOf(under.limiter);
    expect(await told(call(under.pool))).toBe('timeout exceeded when trying to connect');
    expect([waits.length, openings.length]).toEqual([1, 0]);
    expect(waits[0]).toBeGreaterThan(290);
    client.release();
    expectAllBack(under, { admitted: 2, overloaded: 1, succeeded: 1 });
  });

  test('and runs out of time while its connection is opened has waited until that began', async () => {
    await using proxy = await startFaultProxy({ host, port: Number(port) });
    await using under = limitedPool(throughProxy(url, proxy), {}, { max: 1, connectionTimeoutMillis: 900 });
    const client = await takeOnly(under.pool);
    const { waits, openings } = timesOf(under.limiter);
    const waiting = told(call(under.pool));
    await sleep(200);
    proxy.drop();
    proxy.pause();
    client.release(true);
    expect(await waiting).toBe('timeout exceeded when trying to connect');
    expect([waits.length, openings.length]).toEqual([1, 0]);
    expect(waits[0]).toBeGreaterThan(150);
    expect(waits[0]).toBeLessThan(700);
    proxy.resume();
    // The connection comes all the same, and is for the next.
    await vi.waitFor(() => expect(under.pool.idleCount).toBe(1), 5_000);
    await call(under.pool);
    expect([waits.length, openings.length]).toEqual([2, 0]);
    expectAllBack(under, { admitted: 3, overloaded: 1, succeeded: 2 });
  });
});

test('under queries that fail, each of which costs its connection, waits and openings are told apart', async () => {
  await using under = limitedPool(url, {}, { max: 2 });
  const { waits, openings } = timesOf(under.limiter);
  const failing = "do $$ begin perform pg_sleep(0.1); raise 'no'; end $$";
  const answers = Array.from({ length: 10 }, () => told(under.pool.query(failing)));
  expect(await Promise.all(answers)).toEqual(Array(10).fill('P0001'));
  expect([waits.length, openings.length]).toEqual([8, 10]);
  const inOrder = waits.toSorted((one, other) => one - other);
  for (const [place, waited] of inOrder.entries()) {
    expect(waited).toBeGreaterThan(95 * (1 + Math.floor(place / 2)));
  }
  const { poolWait, connectTime } = under.limiter.stats();
  expect(poolWait.p95).toBeGreaterThan(350);
  expect(connectTime.p95).toBeLessThan(200);
  expectAllBack(under, { admitted: 10, failed: 10 });
});

test('a pool that its user has made, and that connects in its own time, is seen alike', async () => {
  const own = new pg.Pool({ connectionString: url, max: 1 });
  const { connect } = own as { connect(): Promise<pg.PoolClient> };
  own.connect = (() => sleep(20).then(() => connect.call(own))) as typeof own.connect;
  const pool = new LimitedPool(own);
  const client = await pool.connect();
  const { waits, openings } = timesOf(pool.limiter);
  const waiting = pool.connect();
  await sleep(300);
  client.release(true);
  (await waiting).release();
  expect([waits.length, openings.length]).toEqual([1, 1]);
  expect(waits[0]).toBeGreaterThan(250);
  expect(openings[0]).toBeLessThan(200);
  await pool.end();
});
