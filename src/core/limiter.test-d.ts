import { describe, expectTypeOf, test } from 'vitest';
import {
  BackpressureError,
  findBackpressureError,
  Limiter,
  type LimiterStats,
  type Permit,
} from '../index.js';

const limiter = new Limiter({ maxConcurrentOps: 5, bulkheads: { reports: 2 } });

describe('Limiter', () => {
  test('run returns what the function returns', () => {
    expectTypeOf(limiter.run(() => 5)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(limiter.run(async () => 'a', { weight: 2, operationClass: 'reports' })).toEqualTypeOf<
      Promise<string>
    >();
    expectTypeOf(limiter.tryAcquire()).toEqualTypeOf<Permit | undefined>();
    expectTypeOf(limiter.acquire()).toEqualTypeOf<Permit>();
    expectTypeOf(limiter.stats()).toEqualTypeOf<LimiterStats>();
    expectTypeOf(limiter.drain({ timeoutMs: 5 })).toEqualTypeOf<Promise<void>>();
  });

  test('an error is narrowed by instanceof', () => {
    const error: unknown = undefined;
    if (error instanceof BackpressureError) expectTypeOf(error.retryAfterSeconds).toEqualTypeOf<number>();
    expectTypeOf(findBackpressureError(error)).toEqualTypeOf<BackpressureError | undefined>();
  });

  test('mistakes do not compile', () => {
    // @ts-expect-error an unknown option
    new Limiter({ maxConcurentOps: 5 });
    // @ts-expect-error a string is no number
    new Limiter({ maxConcurrentOps: '5' });
    // @ts-expect-error no such outcome
    limiter.acquire().release('lost');
    // @ts-expect-error statistics are a snapshot
    limiter.stats().limit = 5;
    // @ts-expect-error the limit moves by resize()
    limiter.limit = 5;
    // @ts-expect-error a function is needed
    limiter.run('select 1');
  });
});
