import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { openLoop } from '../support/open-loop.js';
import { barePool, limitedPool, type PoolUnderTest } from '../support/pool-under-test.js';

/*
 * brianc/node-postgres#1954: after query_timeout the backend works on, the pool opens another connection for the next
 * query, and so on. Measured on a bare pool of 10: 59 active backends, and "too many connections" for everyone.
 */

const { url } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
});
afterAll(() => operator[Symbol.asyncDispose]());

const CONNECTIONS = { max: 10, query_timeout: 200 };

/** 50 calls a second, each of 5 s for the server and of 200 ms for its caller. */
async function load({ pool, name }: PoolUnderTest, durationMs: number) {
  await warmUp(pool, CONNECTIONS.max);
  const { answered } = openLoop({ ratePerSecond: 50, durationMs }, () => pool.query('select pg_sleep(5)'));
  let over = false;
  const backends: number[] = [];
  const watch = (async () => {
    while (!over) backends.push(await operator.active(name));
  })();
  const arrivals = await answered;
  over = true;
  await watch;
  return { arrivals, mostActive: Math.max(...backends) };
}

async function warmUp(pool: pg.Pool, connections: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()));
  for (const client of clients) client.release();
}

describe('50 calls a second that time out at the client while the server works on', () => {
  test('make a bare pool of 10 keep more than 20 backends busy', async () => {
    await using under = barePool(url, CONNECTIONS);
    const { mostActive } = await load(under, 1_000);
    await operator.terminate(under.name);
    expect(mostActive).toBeGreaterThan(20);
  });

  test('leave a limited pool at its limit, and each caller has its answer in time', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 10 }, CONNECTIONS);
    const { arrivals, mostActive } = await load(under, 3_000);
    expect(mostActive).toBe(10);
    const timedOut = arrivals.filter(({ outcome }) => outcome === 'failed');
    expect(timedOut.map(({ error }) => (error as Error).message)).toEqual(
      Array(10).fill('Query read timeout'),
    );
    for (const { latencyMs } of timedOut) expect(latencyMs).toBeLessThan(300);
    expect(arrivals.filter(({ outcome }) => outcome === 'rejected')).toHaveLength(140);
    expect(under.limiter.stats()).toMatchObject({ inFlight: 10, peakInFlight: 10, rejected: 140 });
  });

  test("with abandonedStatements: 'cancel' go on being admitted as backends become free", async () => {
    await using under = limitedPool(
      url,
      { maxConcurrentOps: 10, abandonedStatements: 'cancel' },
      CONNECTIONS,
    );
    const { arrivals, mostActive } = await load(under, 2_000);
    expect(mostActive).toBeLessThanOrEqual(10);
    const timedOut = arrivals.filter(({ outcome }) => outcome === 'failed');
    // 10 permits, each for 200 ms and the cancelling: room for up to 100 calls in 2 s, where waiting would admit 10.
    expect(timedOut.length).toBeGreaterThan(30);
    // A timeout costs the pool its connection, so that most calls open one first.
    for (const { latencyMs } of timedOut) expect(latencyMs).toBeLessThan(700);
  });
});
