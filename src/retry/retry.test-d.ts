import { describe, expectTypeOf, test } from 'vitest';
import { type RetryAttempt, RetryBudget, type RetryBudgetStats, retry } from './index.js';

describe('retry', () => {
  test('gives a promise of what the function gives, promise or not', () => {
    expectTypeOf(retry(() => 42)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(retry(async () => ['a'])).toEqualTypeOf<Promise<string[]>>();
  });

  test('tells the function the attempt and the signal', () => {
    void retry((attempt) => expectTypeOf(attempt).toEqualTypeOf<RetryAttempt>());
    expectTypeOf<RetryAttempt['signal']>().toEqualTypeOf<AbortSignal | undefined>();
    const { signal } = new AbortController();
    // With a signal among the options there is one: to be passed to what takes no `undefined`.
    const answer = retry(({ signal }) => fetch('http://localhost', { signal }), { signal });
    expectTypeOf(answer).toEqualTypeOf<Promise<Response>>();
    void retry<number>(({ signal }) => Number(signal.aborted), { signal, maxAttempts: 2 });
    const perhaps: AbortSignal | undefined = Math.random() > 0.5 ? signal : undefined;
    void retry((attempt) => expectTypeOf(attempt).toEqualTypeOf<RetryAttempt>(), { signal: perhaps });
  });

  test('takes a budget, one of the same shape, or none', () => {
    void retry(() => 1, { budget: new RetryBudget() });
    void retry(() => 1, { budget: { recordCall() {}, tryRetry: () => true } });
    void retry(() => 1, { budget: false });
    // @ts-expect-error: true is no budget
    void retry(() => 1, { budget: true });
    expectTypeOf(new RetryBudget().stats()).toEqualTypeOf<RetryBudgetStats>();
  });

  test('refuses unknown options', () => {
    // @ts-expect-error: it is called maxAttempts
    void retry(() => 1, { retries: 3 });
  });
});
