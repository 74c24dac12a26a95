import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SamplingClock } from './sampling-clock.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts operations at an even rate and counts those that were timed. */
function timedIn(clock: SamplingClock, durationMs: number, perMs: number): number {
  let timed = 0;
  let owed = 0;
  for (let ms = 0; ms < durationMs; ms++) {
    vi.advanceTimersByTime(1);
    for (owed += perMs; owed > 1 - 1e-9; owed--) if (!Number.isNaN(clock.sample())) timed++;
  }
  return timed;
}

describe('SamplingClock', () => {
  test.each([0.05, 0.5, 0.9])('times every operation at %d a millisecond', (perMs) => {
    expect(timedIn(new SamplingClock(), 2000, perMs)).toBe(Math.round(2000 * perMs));
  });

  test.each([1.1, 2, 3, 5, 10, 20, 50, 100, 500, 1000])(
    'times 450 to 1050 operations a second at %d a millisecond',
    (perMs) => {
      const clock = new SamplingClock();
      timedIn(clock, 200, perMs);
      const perSecond = timedIn(clock, 1000, perMs);
      expect(perSecond).toBeGreaterThan(450);
      expect(perSecond).toBeLessThan(1050);
    },
  );

  test.each([
    [2, 1.5],
    [2, 10],
    [3, 3],
    [4, 200],
  ])('of %i kinds that come in turns each gets its share, at %d a millisecond', (kinds, perMs) => {
    const clock = new SamplingClock();
    timedIn(clock, 200, perMs);
    const timed = Array<number>(kinds).fill(0);
    let turn = 0;
    for (let ms = 0; ms < 4000; ms++) {
      vi.advanceTimersByTime(1);
      const upTo = Math.floor((ms + 1) * perMs);
      for (; turn < upTo; turn++) if (!Number.isNaN(clock.sample())) timed[turn % kinds]!++;
    }
    const share = timed.reduce((sum, count) => sum + count, 0) / kinds;
    for (const count of timed) expect(Math.abs(count / share - 1)).toBeLessThan(0.25);
  });

  test.each(Array.from({ length: 60 }, (_, index) => 200 + index))(
    'times every operation again 100 ms after a burst of %d ms',
    (burstMs) => {
      const clock = new SamplingClock();
      timedIn(clock, burstMs, 200);
      vi.advanceTimersByTime(100);
      expect(Array.from({ length: 10 }, () => Number.isNaN(clock.sample()))).toEqual(Array(10).fill(false));
    },
  );

  test('times every operation again when the rate falls, not only when it stops', () => {
    const clock = new SamplingClock();
    timedIn(clock, 500, 500);
    timedIn(clock, 600, 0.9);
    expect(timedIn(clock, 1000, 0.9)).toBe(900);
  });

  test('times enough again when a burst falls to a lower rate that is still thinned', () => {
    const clock = new SamplingClock();
    timedIn(clock, 500, 100);
    timedIn(clock, 600, 4);
    expect(timedIn(clock, 1000, 4)).toBeGreaterThan(450);
  });

  test('gives the time of the clock', () => {
    const clock = new SamplingClock();
    vi.advanceTimersByTime(1234);
    expect(clock.sample() - clock.now()).toBe(0);
  });

  test('with a clock of its own times every operation, at any rate, without a timer', () => {
    let now = 0;
    const clock = new SamplingClock(() => now++);
    const times = Array.from({ length: 10_000 }, () => clock.sample());
    expect([times[0], times[9999], vi.getTimerCount()]).toEqual([0, 9999, 0]);
  });

  test('times every operation while everyOperation is set, and thins again afterwards', () => {
    const clock = new SamplingClock();
    timedIn(clock, 200, 100);
    clock.everyOperation = true;
    expect(timedIn(clock, 100, 100)).toBe(10_000);
    clock.everyOperation = false;
    timedIn(clock, 200, 100);
    expect(timedIn(clock, 100, 100)).toBeLessThan(300);
  });

  test('has one timer at most, unreferenced, and none when it is quiet', () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clock = new SamplingClock();
    timedIn(clock, 300, 500);
    expect(vi.getTimerCount()).toBe(1);
    expect(set.mock.results.map(({ value }) => value.hasRef())).toEqual(set.mock.results.map(() => false));
    vi.advanceTimersByTime(150);
    expect(vi.getTimerCount()).toBe(0);
    timedIn(clock, 300, 2);
    expect(vi.getTimerCount()).toBe(1);
    timedIn(clock, 1000, 0.9);
    expect(vi.getTimerCount()).toBe(0);
  });
});
