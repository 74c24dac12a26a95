import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RetryBudget, type RetryBudgetOptions } from './retry-budget.js';

/** A budget whose clock stands until it is moved. */
function budgetAt(start: number, options: RetryBudgetOptions = {}) {
  const clock = { now: start };
  return { clock, budget: new RetryBudget({ ...options, now: () => clock.now }) };
}

function retriesLeft(budget: RetryBudget): number {
  let count = 0;
  while (budget.tryRetry()) count++;
  return count;
}

describe('a retry budget', () => {
  test('begins with ten seconds of its floor', () => {
    expect(retriesLeft(budgetAt(0).budget)).toBe(10);
    expect(retriesLeft(budgetAt(5_000, { minPerSecond: 3 }).budget)).toBe(30);
  });

  test('has one retry for ten calls', () => {
    const { budget } = budgetAt(0, { minPerSecond: 0 });
    for (let call = 1; call <= 9; call++) budget.recordCall();
    expect(budget.tryRetry()).toBe(false);
    budget.recordCall();
    expect([budget.tryRetry(), budget.tryRetry()]).toEqual([true, false]);
  });

  test('has as many retries as the ratio says', () => {
    const { budget } = budgetAt(0, { minPerSecond: 0, ratio: 0.25 });
    for (let call = 1; call <= 400; call++) budget.recordCall();
    expect(retriesLeft(budget)).toBe(100);
  });

  test('once empty, fills up by the floor again', () => {
    const { budget, clock } = budgetAt(0, { minPerSecond: 2 });
    retriesLeft(budget);
    clock.now += 490;
    expect(budget.tryRetry()).toBe(false);
    clock.now += 30;
    expect([budget.tryRetry(), budget.tryRetry()]).toEqual([true, false]);
  });

  test('never saves up more than ten seconds of its floor', () => {
    const { budget, clock } = budgetAt(0, { minPerSecond: 2 });
    clock.now += 3_600_000;
    expect(retriesLeft(budget)).toBe(20);
  });

  test('forgets calls that are long ago: of 1000, a third after 10 s, none after a minute', () => {
    const { budget, clock } = budgetAt(0, { minPerSecond: 0 });
    for (let call = 1; call <= 1_000; call++) budget.recordCall();
    expect(budget.stats().available).toBe(100);
    clock.now += 10_000;
    expect(budget.stats().available).toBe(36);
    clock.now += 50_000;
    expect(budget.stats().available).toBe(0);
  });

  test('counts calls, retries and what it refused', () => {
    const { budget } = budgetAt(0);
    for (let call = 1; call <= 20; call++) budget.recordCall();
    for (let retry = 1; retry <= 15; retry++) budget.tryRetry();
    expect(budget.stats()).toEqual({ calls: 20, retries: 12, refused: 3, available: 0 });
    expect(Object.isFrozen(budget.stats())).toBe(true);
  });

  test('is not confused by a clock that goes back', () => {
    const { budget, clock } = budgetAt(10_000);
    retriesLeft(budget);
    clock.now = 0;
    expect(budget.tryRetry()).toBe(false);
    clock.now = 1_100;
    expect(budget.tryRetry()).toBe(true);
  });

  test('never pays for more than its formula says, and never for less than its floor', () => {
    const step = fc.oneof(
      fc.constant('call' as const),
      fc.constant('retry' as const),
      fc.integer({ min: 1, max: 20_000 }),
    );
    const ratios = fc.double({ min: 0, max: 1, noNaN: true });
    const floors = fc.double({ min: 0, max: 50, noNaN: true });
    fc.assert(
      fc.property(ratios, floors, fc.array(step, { maxLength: 200 }), (ratio, minPerSecond, steps) => {
        const { budget, clock } = budgetAt(0, { ratio, minPerSecond });
        for (const next of steps) {
          if (next === 'call') budget.recordCall();
          else if (next === 'retry') budget.tryRetry();
          else clock.now += next;
          const { calls, retries, available } = budget.stats();
          const most = ratio * calls + minPerSecond * (clock.now / 1_000 + 10);
          expect(retries).toBeLessThanOrEqual(most + 1e-6);
          expect(available).toBeGreaterThanOrEqual(0);
        }
        retriesLeft(budget);
        // With t >= 10 s the floor alone has brought back at least 6.3 s of itself.
        clock.now += 10_000;
        expect(retriesLeft(budget)).toBeGreaterThanOrEqual(Math.floor(6.3 * minPerSecond));
      }),
    );
  });
});

describe('a clock that', () => {
  test.each([
    ['says nothing', Number.NaN],
    ['goes back', -1e9],
  ])('%s brings no retries', (_, now) => {
    const { budget, clock } = budgetAt(0, { ratio: 0 });
    expect(retriesLeft(budget)).toBe(10);
    clock.now = now;
    expect([budget.tryRetry(), budget.stats().available]).toEqual([false, 0]);
    clock.now = now;
    expect(budget.tryRetry()).toBe(false);
  });
});

describe('a budget of nothing', () => {
  test('has no retry, whatever is called and however long it takes', () => {
    const { budget, clock } = budgetAt(0, { ratio: 0, minPerSecond: 0 });
    for (let call = 1; call <= 1_000; call++) {
      budget.recordCall();
      clock.now += 1_000;
    }
    expect(budget.tryRetry()).toBe(false);
    expect(budget.stats()).toEqual({ calls: 1_000, retries: 0, refused: 1, available: 0 });
  });
});

describe('options', () => {
  test.each<[RetryBudgetOptions, string]>([
    [{ ratio: 1.5 }, 'RangeError: floodgate: ratio must be a number from 0 to 1, got 1.5 (number)'],
    [{ ratio: Number.NaN }, 'RangeError: floodgate: ratio must be a number from 0 to 1, got NaN (number)'],
    [{ minPerSecond: -1 }, 'RangeError: floodgate: minPerSecond must be a number >= 0, got -1 (number)'],
    [{ now: 5 as never }, 'TypeError: floodgate: now must be a function, got 5 (number)'],
    [{ rate: 1 } as never, "TypeError: floodgate: unknown RetryBudget option 'rate' (did you mean 'ratio'?)"],
  ])('%o are refused', (options, message) => {
    expect(() => new RetryBudget(options)).toThrow(
      expect.objectContaining({ message: message.replace(/^\w+: /, ''), name: message.split(':')[0] }),
    );
  });
});
