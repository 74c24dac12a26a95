import { describe, expect, test } from 'vitest';
import { AimdController } from './aimd.js';
import type { LimitController, SampleWindow } from './controller.js';
import { FixedController } from './fixed.js';
import { Gradient2Controller } from './gradient2.js';
import { KneeController } from './knee.js';
import { windowOf } from './testing/window-of.js';
import { ThresholdController } from './threshold.js';
import { VegasController } from './vegas.js';

/** The limits that a controller wants after each of these. */
function limitsOf(controller: LimitController, windows: readonly Partial<SampleWindow>[]): number[] {
  return windows.map((figures) => {
    const { limit } = controller.onWindow(windowOf({ limit: controller.limit, ...figures }));
    return Math.round(limit * 1000) / 1000;
  });
}

describe('AIMD', () => {
  test('adds one while the limit is used, takes a tenth at overload, holds when half is idle', () => {
    const windows = [{}, {}, { overloaded: 1 }, { maxInFlight: 5 }, { meanLatency: 5001 }];
    expect(limitsOf(new AimdController({ initial: 10 }), windows)).toEqual([11, 12, 10.8, 10.8, 9.72]);
  });

  test('stays within its range', () => {
    expect(limitsOf(new AimdController({ initial: 5, min: 5, max: 6 }), [{}, {}, { overloaded: 9 }])).toEqual(
      [6, 6, 5.4],
    );
  });
});

describe('Vegas', () => {
  test('takes the least latency for the unloaded one, then follows the queue: 10 -> 16, 15, hold', () => {
    const controller = new VegasController({ initial: 10 });
    // lg is 1: queue 0 -> + 6; ceil(16 (1 - 10/50)) = 13 -> - 1; ceil(15 (1 - 10/14)) = 5 -> hold.
    const windows = [{ meanLatency: 10 }, { meanLatency: 10 }, { meanLatency: 50 }, { meanLatency: 14 }];
    expect(limitsOf(controller, windows)).toEqual([10, 16, 15, 15]);
  });

  test('steps down at overload, and ignores windows without samples', () => {
    const windows = [{ overloaded: 2 }, { meanLatency: Number.NaN }];
    expect(limitsOf(new VegasController({ initial: 100 }), windows)).toEqual([98, 98]);
  });
});

describe('Gradient2', () => {
  test('grows by a fifth of its queue of 4 while the gradient is 1', () => {
    expect(limitsOf(new Gradient2Controller({ initial: 20 }), [{}, {}])).toEqual([20.8, 21.6]);
  });

  test('shrinks when latency outruns its slow average', () => {
    // long = (10 + 40) / 2 = 25; gradient = 1.5 * 25 / 40 = 0.9375; 0.8 * 20.8 + 0.2 (0.9375 * 20.8 + 4).
    expect(limitsOf(new Gradient2Controller({ initial: 20 }), [{}, { meanLatency: 40 }])).toEqual([
      20.8, 21.34,
    ]);
    // long = 10 + 90/2 = 55, gradient 0.825.
    const windows = [{}, { meanLatency: 100 }];
    expect(limitsOf(new Gradient2Controller({ initial: 100 }), windows)).toEqual([100.8, 98.072]);
  });

  test('holds when less than half is in flight', () => {
    expect(limitsOf(new Gradient2Controller({ initial: 20 }), [{ maxInFlight: 9 }])).toEqual([20]);
  });
});

describe('thresholds', () => {
  test('+5 % when healthy and used, -20 % when bad, hold between', () => {
    const windows = [{ p95: 100 }, { p95: 300 }, { p95: 600 }, { overloaded: 11 }, { maxInFlight: 3 }];
    expect(limitsOf(new ThresholdController({ initial: 100 }), windows)).toEqual([105, 105, 84, 67.2, 67.2]);
  });

  test('protect after three bad windows in a row, until one is not', () => {
    const controller = new ThresholdController({ initial: 100 });
    const protecting = [{ p95: 600 }, { p95: 600 }, { p95: 600 }, { p95: 400 }].map((figures) => {
      controller.onWindow(windowOf(figures));
      return controller.protecting;
    });
    expect(protecting).toEqual([false, false, true, false]);
  });
});

test('fixed stays', () => {
  expect(limitsOf(new FixedController(7), [{}, { overloaded: 400 }])).toEqual([7, 7]);
});

/** Half a second of a database that serves so many side by side, with the limit always reached. */
function saturated(limit: number, capacity: number, serviceMs: number): Partial<SampleWindow> {
  const workRate = (Math.min(limit, capacity) * 1000) / serviceMs;
  const succeeded = workRate / 2;
  const counts = { succeeded, admitted: succeeded, rejected: succeeded };
  return { limit, workRate, ...counts, meanInFlight: limit, meanLatency: (limit * 1000) / workRate };
}

describe('the knee controller', () => {
  const busy = { rejected: 500, admitted: 500 };

  test('holds while nothing is refused', () => {
    expect(limitsOf(new KneeController(), [{}, {}, { meanLatency: 500 }])).toEqual([20, 20, 20]);
  });

  test('holds without answers, and without work', () => {
    const silent = { succeeded: 0, workRate: 0, meanLatency: Number.NaN };
    expect(limitsOf(new KneeController(), [silent, { ...silent, ...busy }])).toEqual([20, 20]);
    expect(limitsOf(new KneeController(), [{ ...silent, ...busy, failed: 400 }])).toEqual([20]);
  });

  test('goes down to learn the response time without queueing, and comes back to the knee', () => {
    // 8 side by side of 10 ms each; at 5 nothing queues: 20 x 10 / 25 is the knee, and 0.6 / sqrt(8) the slack.
    const windows = [20, 12, 7, 4].map((limit) => saturated(limit, 8, 10));
    expect(limitsOf(new KneeController(), windows)).toEqual([12, 7, 4, 9.697]);
  });

  test('doubles as long as it finds no queue', () => {
    const windows = [20, 12, 40, 80].map((limit) => saturated(limit, 1000, 10));
    expect(limitsOf(new KneeController(), windows)).toEqual([12, 40, 80, 160]);
  });

  test('takes the load that comes and goes below the limit for its base, and needs no descent', () => {
    const light = { meanInFlight: 10, meanLatency: 10 };
    const controller = new KneeController({ initial: 40 });
    limitsOf(controller, [light, light]);
    // 20 ms are a queue of as much as is served.
    expect(limitsOf(controller, [saturated(40, 20, 10)])).toEqual([22.683]);
  });

  test('goes back where it was when the response does not follow a cut: the way has become longer', () => {
    const controller = new KneeController({ initial: 40 });
    limitsOf(controller, [{ meanInFlight: 10, meanLatency: 10 }]);
    // From 10 to 40 ms; then again 40 ms at a quarter of the limit.
    const longer = (limit: number) => saturated(limit, 1000, 40);
    const [cut, back] = limitsOf(controller, [longer(40), longer(12)]);
    expect(cut).toBeLessThan(15);
    expect(back).toBe(40);
    expect(limitsOf(controller, [longer(40)])).toEqual([80]);
  });

  test('halves in an outage and comes back to 0.85 of the good limit in strides of 2.8', () => {
    const controller = new KneeController({ initial: 100 });
    const out = { succeeded: 10, overloaded: 40, workRate: 20, ...busy };
    expect(limitsOf(controller, [{}, out, out, out, {}, {}, {}])).toEqual([100, 50, 25, 12.5, 35, 85, 85]);
  });

  test('cuts by three tenths at more than 5 % overload', () => {
    expect(limitsOf(new KneeController(), [{ overloaded: 30 }])).toEqual([14]);
    expect(limitsOf(new KneeController(), [{ overloaded: 20 }])).toEqual([20]);
    // Too few to tell.
    expect(limitsOf(new KneeController(), [{ succeeded: 10, overloaded: 2 }])).toEqual([20]);
  });

  test('says why it has moved, and does not probe in the same step', () => {
    const controller = new KneeController({ initial: 40 });
    limitsOf(controller, [{ meanInFlight: 10, meanLatency: 10, slot: 5 }]);
    const waiting = { ...saturated(40, 20, 10), meanLatency: 10, meanPoolWait: 10, slot: 7 };
    const { limit, reason } = controller.onWindow(windowOf(waiting));
    // The knee is 20, its slack 0.134.
    expect([limit, reason]).toEqual([
      expect.closeTo(22.68, 1),
      'response 2.00x of the base, pool wait 10.0 ms',
    ]);
  });

  test('does not believe the answers that come at the end of a standstill', () => {
    const controller = new KneeController({ initial: 40 });
    limitsOf(controller, [{ meanInFlight: 10, meanLatency: 10 }]);
    const { limit, reason } = controller.onWindow(
      windowOf({ limit: 40, meanLatency: 5000, startedAt: 60_000, endedAt: 60_500, ...busy }),
    );
    expect([limit, reason]).toEqual([40, 'answers of an earlier time: hold']);
  });

  test('gives three cuts a try, and goes back when the share of overload stays', () => {
    const lost = { succeeded: 400, overloaded: 100, ...busy };
    expect(limitsOf(new KneeController(), [lost, lost, lost, lost])).toEqual([14, 9.8, 6.86, 20]);
  });

  test('cuts to what the pool has when checkouts wait, and says so', () => {
    const controller = new KneeController({ initial: 40 });
    limitsOf(controller, [{ meanInFlight: 10, meanLatency: 10 }]);
    const waiting = {
      ...busy,
      meanInFlight: 40,
      workRate: 1000,
      meanLatency: 10,
      meanPoolWait: 30,
      limit: 40,
    };
    const { limit, reason } = controller.onWindow(windowOf(waiting));
    // 40 x 10 / 40, and slack.
    expect(Math.round(limit)).toBe(13);
    expect(reason).toBe('response 4.00x of the base, pool wait 30.0 ms');
  });

  test.each([
    ['a knee of 16', (limit: number) => Math.min(limit, 16) * 100, 14, 24],
    [
      'thrashing past 8',
      (limit: number) => (limit <= 8 ? limit * 100 : 800 / (1 + 0.03 * (limit - 8))),
      6,
      12,
    ],
    ['a knee of 120', (limit: number) => Math.min(limit, 120) * 100, 100, 180],
  ])('settles at %s, without noise', (_, yieldOf, least, most) => {
    const controller = new KneeController();
    const settled: number[] = [];
    for (let index = 0; index < 200; index++) {
      const limit = Math.round(controller.limit);
      const workRate = yieldOf(limit);
      const times = { startedAt: index * 500, endedAt: (index + 1) * 500 };
      const counts = { succeeded: workRate / 2, admitted: workRate / 2, rejected: workRate };
      const held = { meanInFlight: limit, meanLatency: (limit * 1000) / workRate };
      controller.onWindow(windowOf({ limit, workRate, ...held, ...times, ...counts }));
      if (index > 100) settled.push(controller.limit);
    }
    const mean = settled.reduce((sum, limit) => sum + limit, 0) / settled.length;
    expect(mean).toBeGreaterThan(least);
    expect(mean).toBeLessThan(most);
  });
});

test.each([
  [{ min: 5, max: 4 }, 'floodgate: min must be at most max (4), got 5 (number)'],
  [{ initial: 3, min: 4 }, 'floodgate: initial must be from min (4) to max (1000), got 3 (number)'],
  [{ max: 0 }, 'floodgate: max must be a number of permits >= 1, got 0 (number)'],
  [{ max: Number.NaN }, 'floodgate: max must be a number of permits >= 1, got NaN (number)'],
])('a range of %o is refused', (range, message) => {
  expect(() => new KneeController(range)).toThrow(new RangeError(message));
});
