import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Limiter } from '../adaptive/limiter.js';
import { LimitRamp } from './limit-ramp.js';

function ramp(maxConcurrentOps: number, from = 0.1, steps = 5) {
  const limiter = new Limiter({ maxConcurrentOps });
  return { limiter, ramp: new LimitRamp(limiter, from, steps) };
}

function limits(limiter: Limiter): number[] {
  return limiter.history().map(({ to }) => to);
}

describe('two ramps of one limiter', () => {
  test('are one: the second does not take the lowered limit for the whole', () => {
    const { limiter, ramp: first } = ramp(100);
    const second = new LimitRamp(limiter, 0.1, 5);
    first.lower();
    second.lower();
    expect(limiter.limit).toBe(10);
    for (let step = 1; step <= 5; step++) {
      second.raise();
      first.raise();
    }
    expect(limits(limiter)).toEqual([10, 28, 46, 64, 82, 100]);
    second.lower();
    first.lower();
    expect(limiter.limit).toBe(10);
    first.end();
    expect(limiter.limit).toBe(10);
    second.end();
    expect(limiter.limit).toBe(100);
  });

  test('do not wait for one whose limit was moved by others', () => {
    const { limiter, ramp: first } = ramp(100);
    const second = new LimitRamp(limiter, 0.1, 5);
    first.lower();
    limiter.resize(50);
    second.lower();
    expect(limiter.limit).toBe(5);
    second.end();
    expect(limiter.limit).toBe(50);
  });
});

describe('a limit', () => {
  test('is lowered to its share, rises in equal steps to what it was, and is left alone then', () => {
    const { limiter, ramp: over } = ramp(100);
    over.lower();
    for (let step = 1; step <= 8; step++) over.raise();
    expect(limits(limiter)).toEqual([10, 28, 46, 64, 82, 100]);
    expect(limiter.history().map(({ reason }) => reason)).toEqual([
      'health: down',
      ...Array(5).fill('health: re-entry'),
    ]);
    limiter.resize(50);
    over.raise();
    over.end();
    expect(limiter.limit).toBe(50);
  });

  test('comes back to what it was, not to the most it may be', () => {
    const { limiter, ramp: over } = ramp(100);
    limiter.resize(40);
    over.lower();
    for (let step = 1; step <= 5; step++) over.raise();
    expect(limiter.limit).toBe(40);
  });

  test.each([
    [1, 0.1, [1, 1, 1]],
    [3, 0.1, [1, 2, 3]],
    [100, 0, [1, 50, 100]],
    [100, 1, [100, 100, 100]],
  ])('of %d, from a share of %d, has at least one permit', (maxConcurrentOps, from, expected) => {
    const { limiter, ramp: over } = ramp(maxConcurrentOps, from, 2);
    const seen = [over.lower, over.raise, over.raise].map((move) => {
      move.call(over);
      return limiter.limit;
    });
    expect(seen).toEqual(expected);
  });

  test('that goes down again on its way up is lowered again, and remembers what it was', () => {
    const { limiter, ramp: over } = ramp(100);
    over.lower();
    over.raise();
    over.raise();
    over.lower();
    expect(limiter.limit).toBe(10);
    for (let step = 1; step <= 5; step++) over.raise();
    expect(limiter.limit).toBe(100);
  });

  test('that was never lowered does not rise', () => {
    const { limiter, ramp: over } = ramp(100);
    over.raise();
    over.makeRoom();
    over.end();
    expect(limiter.history()).toEqual([]);
  });

  test('is given back at once at the end', () => {
    const { limiter, ramp: over } = ramp(100);
    over.lower();
    over.end();
    over.raise();
    expect(limits(limiter)).toEqual([10, 100]);
  });

  test('that somebody else moves meanwhile is theirs', () => {
    const { limiter, ramp: over } = ramp(100);
    over.lower();
    limiter.resize(30);
    over.makeRoom();
    over.raise();
    over.end();
    expect(limits(limiter)).toEqual([10, 30]);
    // The next time, that is what it comes back to.
    over.lower();
    over.end();
    expect(limits(limiter)).toEqual([10, 30, 3, 30]);
  });

  test('that moves by itself is left alone; in shadow mode it does not', () => {
    const moving = new Limiter({ maxConcurrentOps: 100, adaptive: { initial: 50 } });
    new LimitRamp(moving, 0.1, 5).lower();
    expect(moving.limit).toBe(50);
    const watching = new Limiter({ maxConcurrentOps: 100, adaptive: { initial: 50, observe: true } });
    new LimitRamp(watching, 0.1, 5).lower();
    expect(watching.limit).toBe(10);
  });
});

describe('room to try', () => {
  test('is made when all of the lowered limit is held, one permit at a time', () => {
    const { limiter, ramp: over } = ramp(10);
    limiter.acquire();
    over.lower();
    expect(limiter.tryAcquire()).toBeUndefined();
    over.makeRoom();
    over.makeRoom();
    expect(limiter.limit).toBe(2);
    limiter.tryAcquire();
    expect(limiter.stats()).toMatchObject({ inFlight: 2, admitted: 2, rejected: 1 });
    over.makeRoom();
    expect(limiter.limit).toBe(3);
  });

  test('is not made while there is some, nor when everything there was is still out', () => {
    const { limiter, ramp: over } = ramp(3);
    const permits = [limiter.acquire(), limiter.acquire(), limiter.acquire()];
    over.lower();
    over.makeRoom();
    expect(limiter.limit).toBe(1);
    for (const permit of permits) permit.release();
    over.makeRoom();
    expect(limiter.limit).toBe(1);
  });
});

test('whatever happens, the limit stays between 1 and what it was, and ends there', () => {
  const moves = fc.array(fc.constantFrom('lower', 'raise', 'makeRoom', 'acquire', 'release'), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      moves,
      (...given) => {
        const [maxConcurrentOps, from, steps] = given;
        const { limiter, ramp: over } = ramp(maxConcurrentOps, from, 4);
        const permits = [];
        for (const move of steps) {
          if (move === 'acquire') permits.push(limiter.tryAcquire());
          else if (move === 'release') permits.pop()?.release();
          else over[move as 'lower']();
          expect(limiter.limit).toBeGreaterThanOrEqual(1);
          expect(limiter.limit).toBeLessThanOrEqual(maxConcurrentOps);
        }
        over.end();
        expect(limiter.limit).toBe(maxConcurrentOps);
      },
    ),
  );
});
