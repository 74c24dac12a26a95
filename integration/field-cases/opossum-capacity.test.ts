import { createRequire } from 'node:module';
import { BackpressureError, isBackpressureError } from 'floodgate';
import { describe, expect, inject, test } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';

/** What is used here of opossum, which ships no types. */
interface CircuitBreaker {
  readonly opened: boolean;
  readonly stats: { readonly failures: number; readonly successes: number; readonly fires: number };
  fire(): Promise<unknown>;
  shutdown(): void;
}
type CircuitBreakerClass = new (call: () => Promise<unknown>, options: object) => CircuitBreaker;
const Breaker = createRequire(import.meta.url)('opossum') as CircuitBreakerClass;

const { url } = inject('postgres');

function fireAll(breaker: CircuitBreaker, calls: number) {
  return Promise.allSettled(Array.from({ length: calls }, () => breaker.fire()));
}

describe('rejections are no outcomes (opossum, capacity)', () => {
  test('opossum: 20 calls over its capacity count as failures and open the circuit of a healthy database', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 100 }, { max: 1 });
    const breaker = new Breaker(() => limited.pool.query('select pg_sleep(0.1)'), { capacity: 1 });
    await fireAll(breaker, 21);
    expect(breaker.opened).toBe(true);
    breaker.shutdown();
  });

  test('a breaker in front of a limited pool stays closed through 20 rejections', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
    const ask = () => limited.pool.query('select pg_sleep(0.1)');
    const breaker = new Breaker(ask, { errorFilter: isBackpressureError });
    const results = await fireAll(breaker, 21);
    const rejected = results.filter((result) => result.status === 'rejected');
    expect(rejected).toHaveLength(20);
    expect(rejected.every(({ reason }) => reason instanceof BackpressureError)).toBe(true);
    expect(breaker.opened).toBe(false);
    expect(breaker.stats).toMatchObject({ fires: 21, failures: 0 });
    breaker.shutdown();
  });

  test('20,000 rejections: each counted, none an outcome, none a latency; the pool serves as before', async () => {
    await using limited = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
    const { pool, limiter } = limited;
    const running = pool.query('select pg_sleep(0.2)');
    const errors: unknown[] = [];
    for (let call = 0; call < 20_000; call++) pool.query('select 1').catch((error) => errors.push(error));
    await running;
    expect(errors).toHaveLength(20_000);
    const [first, last] = [errors.at(0), errors.at(-1)] as [BackpressureError, BackpressureError];
    expect({ ...last }).toEqual({ ...first });
    expect(last.stack).toBe(first.stack);
    const stats = limiter.stats();
    expect(stats).toMatchObject({ admitted: 1, rejected: 20_000, rejectedByReason: { limit: 20_000 } });
    expect(stats).toMatchObject({ succeeded: 1, failed: 0, overloaded: 0, ignored: 0, inFlight: 0 });
    // The one sample is the query that ran.
    expect(stats.latency.p50).toBeGreaterThan(190);
    expect((await pool.query('select 1 as up')).rows).toEqual([{ up: 1 }]);
  });
});
