import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comingAtOnce, isClumped, roomForClumps, unusedBetweenClumps } from './clumps.js';
import type { LimitController, SampleWindow } from './controller.js';
import { KneeController } from './knee.js';
import { Limiter } from './limiter.js';
import { windowOf } from './testing/window-of.js';

/** 1000 operations came, of which some were refused. */
function thousand(figures: Partial<SampleWindow>): SampleWindow {
  const { limit = 20, rejected = 0 } = figures;
  return windowOf({ succeeded: 1000 - rejected, meanInFlight: limit / 20, meanLatency: 1, ...figures });
}

describe('what is a clump', () => {
  test('far more is refused than the share of the time that the limit is full', () => {
    expect(isClumped(thousand({ rejected: 300, fullShare: 0.17 }))).toBe(true);
    expect(isClumped(thousand({ rejected: 300, fullShare: 0.19 }))).toBe(false);
    expect(isClumped(thousand({ rejected: 300, fullShare: 0.3 }))).toBe(false);
  });

  test('where nobody measures how long the limit was full, free permits tell', () => {
    // Arrivals by chance leave 0.7 / 0.3 permits free; more than 2.5 times as many, and two, is far more.
    expect(isClumped(thousand({ rejected: 300, meanInFlight: 12.1 }))).toBe(true);
    expect(isClumped(thousand({ rejected: 300, meanInFlight: 12.2 }))).toBe(false);
    // Where hardly anything is refused, most of a limit is free.
    expect(isClumped(thousand({ rejected: 50, meanInFlight: 1 }))).toBe(false);
  });

  test('is not known where nothing was refused', () => {
    expect(isClumped(thousand({ rejected: 0 }))).toBe(false);
    expect(isClumped(thousand({ rejected: 0, fullShare: 0 }))).toBe(false);
  });
});

describe('how many come at once', () => {
  test('one, where there are no clumps', () => {
    expect(comingAtOnce(thousand({ rejected: 300, fullShare: 0.3, meanInFlight: 10 }), 0.3)).toBe(1);
  });

  test('as many more as there are more permits free', () => {
    // 0.7 / 0.3 would be free.
    const window = thousand({ rejected: 300, fullShare: 0.1, meanInFlight: 13 });
    expect(comingAtOnce(window, 0.3)).toBeCloseTo(1 + 7 / (0.7 / 0.3));
    expect(comingAtOnce(window, 0.5)).toBeCloseTo(1 + 7);
    expect(comingAtOnce(window, 1)).toBeCloseTo(1 + 7 * 19);
  });
});

describe('room for clumps', () => {
  test.each([
    [100, 20 / 0.81],
    [200, 20 / 0.64],
    [900, 40],
  ])('%i of 1000 refused: 20 goes to %d', (rejected, limit) => {
    const { limit: next } = roomForClumps(thousand({ rejected, fullShare: 0.01 }), 20)!;
    expect(next).toBeCloseTo(limit, 6);
  });

  test('tells why', () => {
    const { reason } = roomForClumps(thousand({ rejected: 331, fullShare: 0.01, meanInFlight: 1.21 }), 20)!;
    expect(reason).toBe('33.1 % refused in clumps, 1.2 in flight on average: up');
  });

  test('is made while less than half the limit is in flight on average, and not for what comes by chance', () => {
    const full = { rejected: 300, fullShare: 0.1 };
    expect(roomForClumps(thousand({ ...full, meanInFlight: 9.9 }), 20)!.limit).toBeCloseTo(40);
    expect(roomForClumps(thousand({ ...full, meanInFlight: 10 }), 20)).toBeUndefined();
    expect(roomForClumps(thousand({ ...full, meanInFlight: Number.NaN }), 20)).toBeUndefined();
    expect(roomForClumps(thousand({ ...full, meanInFlight: 1, fullShare: 0.3 }), 20)).toBeUndefined();
    expect(roomForClumps(thousand({ rejected: 300, meanInFlight: 1 }), 20)!.limit).toBeCloseTo(40);
  });

  test('is never less than there was', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (rejected, free) => {
          const window = thousand({ rejected, fullShare: free, meanInFlight: 20 * (1 - free) });
          expect(roomForClumps(window, 20)?.limit ?? 20).toBeGreaterThanOrEqual(20);
          expect(unusedBetweenClumps(window)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

test('clumps that keep a database busy leave their gaps on top of the knee', () => {
  expect(unusedBetweenClumps(thousand({ limit: 50, meanInFlight: 35, rejected: 300, fullShare: 0.1 }))).toBe(
    15,
  );
  expect(unusedBetweenClumps(thousand({ limit: 50, meanInFlight: 35, rejected: 300, fullShare: 0.3 }))).toBe(
    0,
  );
});

/** Clumps of 30 each 10 ms on a server that does one thing at a time, in 0.2 ms. */
test('a limit of 4 finds room for a whole request within two seconds, and then stays', () => {
  const controller = new KneeController({ initial: 4 });
  const limits: number[] = [];
  for (let index = 0; index < 12; index++) {
    const limit = Math.round(controller.limit);
    const inside = Math.min(30, limit);
    const meanLatency = 0.1 * (inside + 1);
    controller.onWindow(
      thousand({
        startedAt: index * 500,
        endedAt: (index + 1) * 500,
        limit,
        succeeded: inside * 50,
        admitted: inside * 50,
        rejected: (30 - inside) * 50,
        maxInFlight: inside,
        meanInFlight: (inside * meanLatency) / 10,
        fullShare: limit > 30 ? 0 : 0.02,
        meanLatency,
        workRate: inside * 100,
      }),
    );
    limits.push(Math.round(controller.limit));
  }
  expect(limits.slice(0, 4)).toEqual([8, 16, 32, 32]);
  expect(new Set(limits.slice(3))).toEqual(new Set([32]));
});

test("a limiter's windows tell the share of the time in which no permit was free", () => {
  let now = 0;
  const shares: (number | undefined)[] = [];
  const controller: LimitController = {
    limit: 4,
    onWindow: ({ fullShare }) => {
      shares.push(fullShare);
      return { limit: 4, reason: 'watched' };
    },
  };
  const limiter = new Limiter({ now: () => now, adaptive: { controller, minSamples: 1 } });
  for (let index = 0; index < 200; index++) {
    const permits = Array.from({ length: 4 }, () => limiter.acquire());
    expect(limiter.tryAcquire()).toBeUndefined();
    now += 4;
    permits[0]!.release();
    now += 6;
    for (const permit of permits) permit.release();
  }
  expect(shares).toHaveLength(4);
  for (const share of shares) expect(share).toBeCloseTo(0.4, 2);
});
