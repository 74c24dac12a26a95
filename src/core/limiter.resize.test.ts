import { describe, expect, test } from 'vitest';
import { Limiter } from './limiter.js';

describe('resize', () => {
  test('below what is in flight kills nothing and admits nothing until enough has ended', () => {
    const limiter = new Limiter({ maxConcurrentOps: 5 });
    const permits = [1, 2, 3, 4, 5].map(() => limiter.acquire());
    limiter.resize(2);
    const steps = permits.map((permit) => {
      const before = [limiter.inFlight, limiter.stats().state, limiter.tryAcquire() !== undefined];
      permit.release();
      return before;
    });
    expect(steps).toEqual([
      [5, 'saturated', false],
      [4, 'saturated', false],
      [3, 'saturated', false],
      [2, 'saturated', false],
      [1, 'open', true],
    ]);
    expect(limiter.inFlight).toBe(1);
  });

  test('upwards admits at once', () => {
    const limiter = new Limiter({ maxConcurrentOps: 3 });
    limiter.resize(1);
    limiter.acquire();
    expect(limiter.tryAcquire()).toBe(undefined);
    limiter.resize(3);
    expect([1, 2, 3].map(() => limiter.tryAcquire() !== undefined)).toEqual([true, true, false]);
  });

  test.each([
    [0, RangeError, '0 (number)'],
    [-1, RangeError, '-1 (number)'],
    [11, RangeError, '11 (number)'],
    [2.5, RangeError, '2.5 (number)'],
    [Number.NaN, RangeError, 'NaN (number)'],
    [Number.POSITIVE_INFINITY, RangeError, 'Infinity (number)'],
    ['5', TypeError, "'5' (string)"],
    [null, TypeError, 'null'],
    [undefined, TypeError, 'undefined'],
    [5n, TypeError, '5 (bigint)'],
  ])('to %o throws and changes nothing', (limit, type, shown) => {
    const limiter = new Limiter({ maxConcurrentOps: 10 });
    expect(() => limiter.resize(limit as number)).toThrow(
      new type(`floodgate: limit must be an integer from 1 to 10, got ${shown}`),
    );
    expect([limiter.limit, limiter.history().length]).toEqual([10, 0]);
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -5])(
  'a limit of %d, which is none, never reaches the gate, whoever moves it',
  (limit) => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.gate.setLimit(limit, 'test', undefined);
    limiter.acquire();
    expect([limiter.limit, limiter.history(), limiter.tryAcquire()]).toEqual([1, [], undefined]);
  },
);

describe('history', () => {
  test('tells each change of the limit with its time', () => {
    let now = 1000;
    const limiter = new Limiter({ maxConcurrentOps: 10, now: () => now });
    limiter.resize(4);
    now = 2500;
    limiter.resize(6);
    expect(limiter.history()).toEqual([
      { at: 1000, from: 10, to: 4, reason: 'resize', window: undefined },
      { at: 2500, from: 4, to: 6, reason: 'resize', window: undefined },
    ]);
    expect(limiter.stats()).toMatchObject({ limitIncreases: 1, limitDecreases: 1 });
  });

  test('has wall-clock times without a clock of its own', () => {
    const limiter = new Limiter({ maxConcurrentOps: 10 });
    limiter.resize(4);
    expect(Math.abs(limiter.history()[0]!.at - Date.now())).toBeLessThan(1000);
  });

  test('knows nothing of a resize to the same limit', () => {
    const limiter = new Limiter({ maxConcurrentOps: 10 });
    limiter.resize(10);
    expect([limiter.history(), limiter.stats().limitIncreases, limiter.stats().limitDecreases]).toEqual([
      [],
      0,
      0,
    ]);
  });

  test('keeps the last 256 changes and counts all', () => {
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    for (let change = 0; change < 500; change++) limiter.resize(change % 2 === 0 ? 1 : 2);
    const history = limiter.history();
    expect(history).toHaveLength(256);
    expect(history[0]).toMatchObject({ from: 2, to: 1 });
    expect(history[255]).toMatchObject({ from: 1, to: 2 });
    expect(limiter.stats()).toMatchObject({ limitIncreases: 250, limitDecreases: 250 });
  });

  test('is a frozen copy', () => {
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    limiter.resize(1);
    const history = limiter.history();
    expect([Object.isFrozen(history), Object.isFrozen(history[0])]).toEqual([true, true]);
    limiter.resize(2);
    expect(history).toHaveLength(1);
  });
});
