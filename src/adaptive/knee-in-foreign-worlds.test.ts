import { describe, expect, test } from 'vitest';
import { KneeController } from './knee.js';
import { windowOf } from './testing/window-of.js';

/** A database without chance, always asked for more than it does: so much work a second at so many in flight. */
interface World {
  readonly yieldOf: (inFlight: number, window: number) => number;
  readonly windowMs?: number;
  /** Of the answers. */
  readonly overloaded?: number;
  /** To each answer. */
  readonly refusals?: number;
}

/** The limits of so many windows. */
function live(controller: KneeController, world: World, windows: number): number[] {
  const { yieldOf, windowMs = 500, overloaded: share = 0, refusals = 2 } = world;
  const limits: number[] = [];
  for (let index = 0; index < windows; index++) {
    const limit = Math.round(controller.limit);
    const answersPerSecond = yieldOf(limit, index);
    const answers = (answersPerSecond * windowMs) / 1000;
    const succeeded = answers * (1 - share);
    const latency = (limit * 1000) / answersPerSecond;
    const times = { startedAt: index * windowMs, endedAt: (index + 1) * windowMs };
    const counts = { succeeded, overloaded: answers * share, rejected: refusals * answers };
    controller.onWindow(windowOf({ ...times, ...counts, limit, meanInFlight: limit, meanLatency: latency }));
    limits.push(controller.limit);
  }
  return limits;
}

/** The universal scalability law (Gunther 1993). */
function scalability(one: number, contention: number, coherency: number): (n: number) => number {
  return (n) => (one * n) / (1 + contention * (n - 1) + coherency * n * (n - 1));
}

describe('where no sharp knee is', () => {
  test.each([
    ['contention 5 %', scalability(100, 0.05, 0.001), 31],
    ['contention 1 %, a long way up', scalability(100, 0.01, 0.00005), 141],
    ['coherency alone', scalability(50, 0, 0.0003), 58],
  ])('it goes up until hardly any more work comes: %s', (_, yieldOf, best) => {
    const limits = live(new KneeController(), { yieldOf }, 300);
    const settled = limits.slice(200);
    const mean = settled.reduce((sum, limit) => sum + yieldOf(limit), 0) / settled.length;
    expect(mean / yieldOf(best)).toBeGreaterThan(0.93);
    expect(Math.max(...settled)).toBeLessThan(1.5 * best);
  });
});

test('one server at a time: from the least limit it goes at once to the line that keeps it busy', () => {
  // Alone, each answer is followed by a pause until the next one comes.
  const yieldOf = (limit: number) => (limit === 1 ? 380 : 470);
  const limits = live(new KneeController(), { yieldOf, refusals: 0.5 }, 12).map(Math.round);
  expect(limits.slice(0, 6)).toEqual([12, 7, 4, 2, 1, 7]);
  expect(Math.min(...limits.slice(5))).toBeGreaterThan(4);
});

describe('where it begins far too high', () => {
  test('it comes down to the knee of 16 from 500, and the first window, before all are out, tells it nothing', () => {
    const filling = (limit: number, index: number) => (index === 0 ? 6400 : Math.min(limit, 16) * 100);
    for (const windowMs of [100, 250, 1000]) {
      const limits = live(new KneeController({ initial: 500 }), { yieldOf: filling, windowMs }, 200);
      for (const limit of limits.slice(100)) expect(limit).toBeLessThan(26);
      for (const limit of limits.slice(100)) expect(limit).toBeGreaterThan(11);
    }
  });

  test('it does not come back to a limit that never was good', () => {
    const controller = new KneeController({ initial: 400 });
    live(controller, { yieldOf: () => 10000, overloaded: 0.8 }, 5);
    expect(controller.limit).toBe(12.5);
    const limits = live(controller, { yieldOf: (limit) => Math.min(limit, 16) * 100 }, 60);
    expect(Math.max(...limits)).toBeLessThan(60);
  });

  test('operations that began before a cut do not make it end the descent', () => {
    const controller = new KneeController({ initial: 400 });
    const window = {
      succeeded: 800,
      failed: 0,
      overloaded: 0,
      ignored: 0,
      rejected: 800,
      admitted: 800,
      meanPoolWait: 0,
      p95PoolWait: 0,
      workRate: 1600,
      stalledMs: 0,
    };
    let at = 0;
    const decisions = [250, 250, 150].map((meanLatency) => {
      const limit = controller.limit;
      const times = { meanLatency, p50: meanLatency, p95: meanLatency, p99: meanLatency };
      const span = { startedAt: at, endedAt: at + 5000 };
      at += 5000;
      return controller.onWindow({
        ...window,
        ...times,
        ...span,
        limit,
        maxInFlight: limit,
        meanInFlight: limit,
      }).limit;
    });
    expect(decisions).toEqual([240, 144, 86]);
  });
});

test('when the way becomes shorter it sees that the line moved on to the database, and comes down', () => {
  // 16 side by side of 10 ms, and 30 ms of network; after 100 windows none.
  const yieldOf = (limit: number, window: number) => Math.min(limit * (window < 100 ? 25 : 100), 1600);
  const limits = live(new KneeController(), { yieldOf }, 300);
  expect(limits[99]).toBeGreaterThan(60);
  expect(Math.max(...limits.slice(200))).toBeLessThan(30);
});

test('a tenth of overload that cuts do not help against is usual from then on; twice as much is not', () => {
  const controller = new KneeController();
  const yieldOf = (limit: number) => Math.min(limit, 16) * 100;
  live(controller, { yieldOf }, 50);
  const lost = live(controller, { yieldOf, overloaded: 0.1 }, 40);
  for (const limit of lost.slice(20)) expect(limit).toBeGreaterThan(13);
  const [cut] = live(controller, { yieldOf, overloaded: 0.3 }, 1);
  expect(cut).toBeLessThan(lost.at(-1)! * 0.75);
});

describe('windows with a handful of answers', () => {
  test('are put together until there are 60', () => {
    const controller = new KneeController();
    const limits = live(controller, { yieldOf: (limit) => Math.min(limit, 8) * 10, windowMs: 100 }, 11);
    // 8 a window; the first three began before 20 x 12.5 ms were over: the eleventh decides.
    expect(limits).toEqual([20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 12]);
  });

  test('do not lead it astray: 20 operations a second by hundredths', () => {
    const yieldOf = (limit: number) => Math.min(limit, 4) * 5;
    const limits = live(new KneeController(), { yieldOf, windowMs: 100 }, 3000);
    expect(Math.min(...limits.slice(1500))).toBeGreaterThanOrEqual(3);
    expect(Math.max(...limits.slice(1500))).toBeLessThan(9);
  });
});

/** One at a time in 17 ms, as when all wait for one lock; then 19 side by side, in 67 ms each: few answers to judge by. */
test.each([2, 10])(
  'a limit of one to three, from a lock storm, comes back after it; %i refused an answer',
  (refusals) => {
    const storm = (window: number) => window < 60;
    const yieldOf = (limit: number, window: number) => (storm(window) ? 60 : 15 * Math.min(limit, 19));
    const limits = live(new KneeController(), { yieldOf, refusals }, 80);
    expect(limits[59]).toBeLessThan(3.5);
    const back = limits.slice(60).findIndex((limit) => limit > 17);
    expect(back).toBeGreaterThan(0);
    expect(back).toBeLessThan(16);
    expect(limits.at(-1)).toBeLessThan(29);
  },
);
