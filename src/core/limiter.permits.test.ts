import { describe, expect, test } from 'vitest';
import { BackpressureError } from './backpressure-error.js';
import { Limiter } from './limiter.js';
import type { Outcome } from './outcome.js';

describe('acquire', () => {
  test('admits up to the limit and throws above it', () => {
    const limiter = new Limiter({ maxConcurrentOps: 3 });
    for (let taken = 1; taken <= 3; taken++) {
      limiter.acquire();
      expect(limiter.inFlight).toBe(taken);
    }
    expect(() => limiter.acquire()).toThrow(BackpressureError);
    expect(limiter.stats()).toMatchObject({ inFlight: 3, admitted: 3, rejected: 1 });
  });

  test('names the operation in the rejection, and "acquire" where it has no name', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    expect(() => limiter.acquire({ operation: 'select' })).toThrow(
      'floodgate: select rejected, every permit is taken (1 in flight, limit 1)',
    );
    expect(() => limiter.acquire()).toThrow(
      'floodgate: acquire rejected, every permit is taken (1 in flight, limit 1)',
    );
  });

  test('admits again as soon as a permit is back', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const permit = limiter.acquire();
    expect(limiter.tryAcquire()).toBe(undefined);
    permit.release();
    expect(limiter.acquire()).not.toBe(permit);
    expect(limiter.inFlight).toBe(1);
  });

  test('checks what it is told of the operation, before it takes a permit', () => {
    const limiter = new Limiter();
    expect(() => limiter.acquire({ weight: 1.5 })).toThrow(
      new RangeError('floodgate: weight must be an integer >= 1, got 1.5 (number)'),
    );
    expect(() => limiter.tryAcquire({ operationClass: '' })).toThrow(
      new RangeError("floodgate: operationClass must be a non-empty string, got '' (string)"),
    );
    expect(limiter.stats()).toMatchObject({ admitted: 0, rejected: 0 });
  });
});

describe('tryAcquire', () => {
  test('gives undefined above the limit and counts the rejection', () => {
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    expect([1, 2, 3, 4].map(() => limiter.tryAcquire() !== undefined)).toEqual([true, true, false, false]);
    expect(limiter.stats()).toMatchObject({ admitted: 2, rejected: 2, rejectedByReason: { limit: 2 } });
  });
});

describe('release', () => {
  test.each<[Outcome | undefined, object]>([
    [undefined, { succeeded: 1, failed: 0, overloaded: 0, ignored: 0 }],
    ['success', { succeeded: 1, failed: 0, overloaded: 0, ignored: 0 }],
    ['failed', { succeeded: 0, failed: 1, overloaded: 0, ignored: 0 }],
    ['overload', { succeeded: 0, failed: 0, overloaded: 1, ignored: 0 }],
    ['ignored', { succeeded: 0, failed: 0, overloaded: 0, ignored: 1 }],
  ])('with outcome %s counts once', (outcome, counts) => {
    const limiter = new Limiter();
    limiter.acquire().release(outcome);
    expect(limiter.stats()).toMatchObject({ ...counts, inFlight: 0, running: 0 });
  });

  test('three times gives one permit back and counts two double releases (async-sema)', () => {
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    const permit = limiter.acquire();
    limiter.acquire();
    for (let times = 0; times < 3; times++) permit.release();
    expect(limiter.stats()).toMatchObject({ inFlight: 1, running: 1, succeeded: 1, doubleReleases: 2 });
    expect([limiter.tryAcquire(), limiter.tryAcquire()].map((taken) => taken !== undefined)).toEqual([
      true,
      false,
    ]);
  });

  test('a second time does not change the outcome', () => {
    const limiter = new Limiter();
    const permit = limiter.acquire();
    permit.release('overload');
    permit.release('success');
    expect(limiter.stats()).toMatchObject({ overloaded: 1, succeeded: 0, doubleReleases: 1 });
  });

  test.each([
    ['sucess', "'sucess' (string)"],
    [null, 'null'],
    [0, '0 (number)'],
    [{}, 'an object (Object)'],
    [Symbol('s'), 'Symbol(s) (symbol)'],
  ])('with %o throws, but the permit is back', (outcome, shown) => {
    const limiter = new Limiter();
    const permit = limiter.acquire();
    expect(() => permit.release(outcome as never)).toThrow(
      new TypeError(`floodgate: outcome must be 'success', 'failed', 'overload' or 'ignored', got ${shown}`),
    );
    expect(limiter.stats()).toMatchObject({ inFlight: 0, ignored: 1, doubleReleases: 0 });
  });
});

describe('a permit in a using block', () => {
  test('comes back at its end as a success', () => {
    const limiter = new Limiter();
    {
      using _permit = limiter.acquire();
      expect(limiter.inFlight).toBe(1);
    }
    expect(limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 1 });
  });

  test('comes back when the block throws', () => {
    const limiter = new Limiter();
    expect(() => {
      using _permit = limiter.acquire();
      throw new Error('inside');
    }).toThrow('inside');
    expect(limiter.inFlight).toBe(0);
  });

  test('that was released by hand is no double release', () => {
    const limiter = new Limiter();
    {
      using permit = limiter.acquire();
      permit.release('overload');
    }
    expect(limiter.stats()).toMatchObject({ overloaded: 1, succeeded: 0, doubleReleases: 0 });
  });
});
