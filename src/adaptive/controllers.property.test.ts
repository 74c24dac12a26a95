import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AimdController } from './aimd.js';
import { FixedController } from './fixed.js';
import { Gradient2Controller } from './gradient2.js';
import { KneeController } from './knee.js';
import { windowOf } from './testing/window-of.js';
import { ThresholdController } from './threshold.js';
import { VegasController } from './vegas.js';

const range = { initial: 20, min: 1, max: 200 };
const controllers = {
  knee: () => new KneeController(range),
  aimd: () => new AimdController(range),
  vegas: () => new VegasController(range),
  gradient2: () => new Gradient2Controller(range),
  threshold: () => new ThresholdController(range),
  fixed: () => new FixedController(20),
};

/** A duration, or none where nothing was timed. */
const duration = fc.oneof(
  { weight: 3, arbitrary: fc.double({ min: 0.001, max: 5000, noNaN: true }) },
  { weight: 1, arbitrary: fc.constant(Number.NaN) },
);
const count = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5000 }));
const share = fc.double({ min: 0, max: 1, noNaN: true });

const figures = fc.record({
  lengthMs: fc.integer({ min: 50, max: 4000 }),
  succeeded: count,
  failed: count,
  overloaded: count,
  ignored: count,
  rejected: count,
  meanLatency: duration,
  meanPoolWait: fc.oneof(fc.constant(0), duration),
  inFlight: share,
  fullShare: fc.option(share, { nil: undefined }),
  workUnitMs: fc.option(fc.double({ min: 0.01, max: 1000, noNaN: true }), { nil: undefined }),
});

test.each(Object.entries(controllers))('%s answers a limit within its range to any windows', (_, make) => {
  fc.assert(
    fc.property(fc.array(figures, { minLength: 1, maxLength: 60 }), (windows) => {
      const controller = make();
      let at = 0;
      for (const { lengthMs, inFlight, ...told } of windows) {
        const limit = Math.round(controller.limit);
        const times = { startedAt: at, endedAt: at + lengthMs };
        const held = { maxInFlight: Math.ceil(inFlight * limit), meanInFlight: inFlight * limit };
        const { limit: next } = controller.onWindow(windowOf({ ...told, ...times, ...held, limit }));
        expect(next).toBeGreaterThanOrEqual(1);
        expect(next).toBeLessThanOrEqual(200);
        at += lengthMs;
      }
    }),
    { numRuns: 2000 },
  );
});

/** An alternation that is neither chance nor impossible: a busy window, then one in which nothing was timed. */
test('a window without latency samples leaves the knee where it is found again', () => {
  const controller = new KneeController(range);
  for (let index = 0; index < 40; index++) {
    const limit = Math.round(controller.limit);
    const timed = index % 3 !== 2;
    const workRate = 100 * Math.min(limit, 16);
    controller.onWindow(
      windowOf({
        startedAt: index * 500,
        limit,
        succeeded: workRate / 2,
        rejected: workRate,
        meanInFlight: limit,
        meanLatency: timed ? (limit * 1000) / workRate : Number.NaN,
        meanPoolWait: 0.01,
      }),
    );
  }
  expect(controller.limit).toBeGreaterThan(13);
  expect(controller.limit).toBeLessThan(30);
});
