import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import { type Operator, openOperator } from '../support/faults.js';
import { limitedPool } from '../support/pool-under-test.js';
import { standaloneClient } from './standalone-client.js';

const { url } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
});
afterAll(() => operator[Symbol.asyncDispose]());

const TIMEOUT = { query_timeout: 100 };

/** Milliseconds from now until the permit is back. */
async function untilPermitIsBack(limiter: { readonly inFlight: number }, timeout = 5_000): Promise<number> {
  const began = performance.now();
  await vi.waitFor(() => expect(limiter.inFlight).toBe(0), { timeout, interval: 5 });
  return performance.now() - began;
}

const timesOut = (query: Promise<unknown>) => expect(query).rejects.toThrow('Query read timeout');

describe.each([
  ['a pool', {}],
  ['a pipelined pool', { pipeline: true }],
])('a statement that %s has abandoned', (_, mode) => {
  test("is cancelled at once with abandonedStatements: 'cancel'", async () => {
    await using under = limitedPool(
      url,
      { maxConcurrentOps: 1, abandonedStatements: 'cancel' },
      { ...TIMEOUT, ...mode },
    );
    await timesOut(under.pool.query('select pg_sleep(30)'));
    expect(await untilPermitIsBack(under.limiter)).toBeLessThan(500);
    await operator.untilStopped(under.name);
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
    expect(under.limiter.stats()).toMatchObject({ overloaded: 1, succeeded: 1 });
  });

  test('is cancelled by the end of the pool, which comes soon', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 2 }, { ...TIMEOUT, ...mode });
    await timesOut(under.pool.query('select pg_sleep(30)'));
    const began = performance.now();
    await under.pool.end();
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await untilPermitIsBack(under.limiter)).toBeLessThan(500);
    await operator.untilStopped(under.name);
  });
});

test('an abandoned statement keeps its permit until the server has ended it, then the connection is closed', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 1 }, TIMEOUT);
  await under.pool.query('select 1');
  const began = performance.now();
  await timesOut(under.pool.query('select pg_sleep(0.6)'));
  expect(performance.now() - began).toBeLessThan(200);
  expect([under.limiter.inFlight, under.pool.totalCount, under.pool.idleCount]).toEqual([1, 1, 0]);
  await expect(under.pool.query('select 1')).rejects.toMatchObject({ reason: 'limit' });
  await untilPermitIsBack(under.limiter);
  expect(performance.now() - began).toBeGreaterThan(590);
  expect(performance.now() - began).toBeLessThan(1_200);
  expect(under.pool.totalCount).toBe(0);
});

test('a wait for an abandoned statement ends after abandonedTimeoutMs', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 1, abandonedTimeoutMs: 300 }, TIMEOUT);
  await timesOut(under.pool.query('select pg_sleep(30)'));
  const waited = await untilPermitIsBack(under.limiter);
  expect(waited).toBeGreaterThan(290);
  expect(waited).toBeLessThan(600);
  await operator.untilStopped(under.name);
});

test('a standalone client that abandons a statement gets its permit back as a pool does', async () => {
  await using under = await standaloneClient(
    url,
    { maxConcurrentOps: 1, abandonedStatements: 'cancel' },
    TIMEOUT,
  );
  await timesOut(under.client.query('select pg_sleep(30)'));
  expect(await untilPermitIsBack(under.limiter)).toBeLessThan(500);
  expect((await under.client.query('select 1')).rowCount).toBe(1);
});

test('a standalone client that is ended under a statement stops the backend', async () => {
  const { client, limiter, name } = await standaloneClient(url, { maxConcurrentOps: 1 });
  const query = client.query('select pg_sleep(30)').catch((error: Error) => error.message);
  await operator.untilAt(name, 'PgSleep');
  await client.end();
  expect(await query).toBe('Connection terminated');
  await untilPermitIsBack(limiter);
  await operator.untilStopped(name);
  expect(limiter.stats()).toMatchObject({ ignored: 1, overloaded: 0 });
});

test('the rest of an abandoned pipeline is cancelled, too', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 1 }, { ...TIMEOUT, pipeline: true });
  const client = await under.pool.connect();
  client.on('error', () => {});
  const answers = [1, 2, 3].map(() => client.query('select pg_sleep(30)'));
  await Promise.allSettled(answers);
  client.release();
  expect(await untilPermitIsBack(under.limiter)).toBeLessThan(500);
  await operator.untilStopped(under.name);
});

describe('a network that swallows every byte', () => {
  test('does not keep the permit for ever, and the pool serves when it has recovered', async () => {
    const { hostname: host, port } = new URL(url);
    await using proxy = await startFaultProxy({ host, port: Number(port) });
    await using under = limitedPool(
      throughProxy(url, proxy),
      { maxConcurrentOps: 1, abandonedTimeoutMs: 200 },
      TIMEOUT,
    );
    await under.pool.query('select 1');
    proxy.pause();
    await timesOut(under.pool.query('select 1'));
    await sleep(500);
    // The request to cancel is swallowed, too: it is given five seconds.
    expect(under.limiter.inFlight).toBe(1);
    expect(await untilPermitIsBack(under.limiter, 10_000)).toBeLessThan(6_000);
    proxy.resume();
    await vi.waitFor(async () => expect((await under.pool.query('select 1')).rowCount).toBe(1), 5_000);
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, running: 0, overloaded: 1 });
  });

  test('and then cuts it gives the permit back at once', async () => {
    const { hostname: host, port } = new URL(url);
    await using proxy = await startFaultProxy({ host, port: Number(port) });
    await using under = limitedPool(throughProxy(url, proxy), { maxConcurrentOps: 1 }, TIMEOUT);
    await under.pool.query('select 1');
    proxy.pause();
    await timesOut(under.pool.query('select 1'));
    expect(under.limiter.inFlight).toBe(1);
    proxy.drop();
    proxy.resume();
    expect(await untilPermitIsBack(under.limiter)).toBeLessThan(500);
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
  });
});
