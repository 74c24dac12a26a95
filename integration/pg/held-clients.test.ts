import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { barePool, limitedPool } from '../support/pool-under-test.js';

const { url } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
});
afterAll(() => operator[Symbol.asyncDispose]());

const untilIdle = (limiter: { readonly inFlight: number }) =>
  vi.waitFor(() => expect(limiter.inFlight).toBe(0), { timeout: 5_000, interval: 5 });

describe('a client that is never released', () => {
  test('keeps its permit, which shows by its age', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 2 });
    const client = await under.pool.connect();
    await client.query('select 1');
    await sleep(150);
    const { inFlight, oldestPermitMs, running } = under.limiter.stats();
    expect([inFlight, running]).toEqual([1, 1]);
    expect(oldestPermitMs).toBeGreaterThanOrEqual(140);
    expect(oldestPermitMs).toBeLessThan(1_000);
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
    client.release();
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, oldestPermitMs: 0, succeeded: 2 });
  });

  test('is taken back after maxCheckoutMs, and the pool serves with another', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1, maxCheckoutMs: 100 }, { max: 1 });
    const began = performance.now();
    const client = await under.pool.connect();
    await untilIdle(under.limiter);
    expect(performance.now() - began).toBeGreaterThanOrEqual(99);
    expect(performance.now() - began).toBeLessThan(600);
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
    expect(under.limiter.stats()).toMatchObject({ ignored: 1, succeeded: 1, failed: 0, overloaded: 0 });
    client.release();
    expect(() => client.release()).toThrow('already been released');
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, doubleReleases: 1 });
  });

  test('is taken back with the statement it runs: the backend stops', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1, maxCheckoutMs: 100 });
    const client = await under.pool.connect();
    await expect(client.query('select pg_sleep(30)')).rejects.toThrow('Connection terminated');
    await untilIdle(under.limiter);
    await operator.untilStopped(under.name);
    client.release();
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, doubleReleases: 0, ignored: 1 });
  });

  test('but released in time is left alone', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1, maxCheckoutMs: 300 });
    const client = await under.pool.connect();
    client.release();
    const again = await under.pool.connect();
    await sleep(150);
    again.release();
    await sleep(300);
    expect([under.pool.totalCount, under.pool.idleCount]).toEqual([1, 1]);
    expect(under.limiter.stats()).toMatchObject({ admitted: 2, succeeded: 2, ignored: 0 });
  });
});

describe('a client that is released twice', () => {
  const MESSAGE = 'Release called on client which has already been released to the pool.';

  test('throws as it does bare, and gives back one permit', async () => {
    await using bare = barePool(url);
    await using under = limitedPool(url, { maxConcurrentOps: 1 });
    for (const pool of [bare.pool, under.pool]) {
      const client = await pool.connect();
      client.release();
      expect(() => client.release()).toThrow(MESSAGE);
    }
    expect(under.limiter.stats()).toMatchObject({ inFlight: 0, running: 0, doubleReleases: 1, succeeded: 1 });
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
  });

  test('does not give back the permit of the holder who has it now', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
    const first = await under.pool.connect();
    const { release } = first;
    release();
    const second = await under.pool.connect();
    expect(second).toBe(first);
    expect(() => release()).toThrow(MESSAGE);
    expect(under.limiter.stats()).toMatchObject({ inFlight: 1, doubleReleases: 1 });
    await expect(under.pool.query('select 1')).rejects.toMatchObject({ reason: 'limit' });
    second.release();
    expect(under.limiter.inFlight).toBe(0);
  });
});

describe('a client that is released before its query has ended', () => {
  test('keeps the permit until the query has', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 });
    const client = await under.pool.connect();
    const query = client.query('select pg_sleep(0.15)');
    client.release();
    expect(under.limiter.inFlight).toBe(1);
    await query;
    await untilIdle(under.limiter);
    await operator.untilStopped(under.name);
    expect(under.limiter.stats()).toMatchObject({ succeeded: 1, admitted: 1 });
  });

  test('as broken stops the backend, and then gives back the permit', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 });
    const client = await under.pool.connect();
    const query = client.query('select pg_sleep(30)').catch((error: Error) => error.message);
    await operator.untilAt(under.name, 'PgSleep');
    client.release(true);
    expect(under.limiter.inFlight).toBe(1);
    await untilIdle(under.limiter);
    await operator.untilStopped(under.name);
    expect(await query).toBe('Connection terminated');
    expect(under.limiter.stats()).toMatchObject({ ignored: 1, overloaded: 0, failed: 0 });
  });
});

test('a client that listens and is killed tells its holder, who gives it back: one overload', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 1 });
  const client = await under.pool.connect();
  await client.query('listen floodgate');
  await operator.untilAt(under.name, 'ClientRead');
  // It may tell twice: the server's word, and the connection's end.
  client.on('error', () => {});
  const lost = once(client, 'error');
  await operator.terminate(under.name);
  const [error] = await lost;
  expect(error).toMatchObject({ code: '57P01' });
  expect(under.limiter.inFlight).toBe(1);
  client.release(error);
  expect(under.limiter.stats()).toMatchObject({ inFlight: 0, overloaded: 1, succeeded: 0 });
  await vi.waitFor(async () => expect((await under.pool.query('select 1')).rowCount).toBe(1));
});

test('a client whose connection its holder ends keeps its permit, as it keeps its place in the pool', async () => {
  await using under = limitedPool(url, { maxConcurrentOps: 1 });
  const client = await under.pool.connect();
  await (client as unknown as { end(): Promise<void> }).end();
  expect([under.limiter.inFlight, under.pool.totalCount]).toEqual([1, 1]);
  client.release();
  await untilIdle(under.limiter);
  expect((await under.pool.query('select 1')).rowCount).toBe(1);
});
