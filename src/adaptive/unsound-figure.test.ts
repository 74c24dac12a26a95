import { describe, expect, test } from 'vitest';
import { AimdController } from './aimd.js';
import type { LimitController, SampleWindow } from './controller.js';
import { Gradient2Controller } from './gradient2.js';
import { windowOf } from './testing/window-of.js';
import { ThresholdController } from './threshold.js';
import { unsoundFigure } from './unsound-figure.js';
import { VegasController } from './vegas.js';

const { NaN: none, POSITIVE_INFINITY: endless } = Number;

test.each([
  [{ meanLatency: endless }, 'meanLatency Infinity: hold'],
  [{ p95: -1 }, 'p95 -1: hold'],
  [{ maxInFlight: none }, 'maxInFlight NaN: hold'],
  [{ overloaded: endless }, 'overloaded Infinity: hold'],
  [{ succeeded: none }, 'succeeded NaN: hold'],
  [{ meanLatency: none, p95: none }, undefined],
  [{ meanLatency: 0, p95: 0, succeeded: 0, maxInFlight: 0 }, undefined],
])('of a window with %o', (figures, expected) => {
  expect(unsoundFigure(windowOf(figures))).toBe(expected);
});

describe('a window with a figure that is none', () => {
  const controllers: Record<string, () => LimitController> = {
    AIMD: () => new AimdController({ initial: 10 }),
    Vegas: () => new VegasController({ initial: 10 }),
    Gradient2: () => new Gradient2Controller({ initial: 10 }),
    thresholds: () => new ThresholdController({ initial: 10 }),
  };
  const unsound: Partial<SampleWindow>[] = [
    ...[endless, -1].flatMap((figure) => [{ meanLatency: figure }, { p95: figure }]),
    ...[endless, -1, none].flatMap((figure) => [
      { succeeded: figure },
      { failed: figure },
      { overloaded: figure },
      { rejected: figure },
      { maxInFlight: figure },
    ]),
  ];

  test.each(Object.entries(controllers))('holds %s, which then goes on as if it had not been', (_, make) => {
    const [spared, met] = [make(), make()];
    const sound = [{}, { meanLatency: 20 }, { meanLatency: 10 }, { overloaded: 40 }, {}];
    for (const figures of sound) {
      for (const bad of unsound) {
        expect(met.onWindow(windowOf({ limit: met.limit, ...bad })).limit).toBe(spared.limit);
      }
      const { limit } = spared.onWindow(windowOf({ limit: spared.limit, ...figures }));
      expect(met.onWindow(windowOf({ limit: met.limit, ...figures })).limit).toBe(limit);
    }
    expect(met.limit).not.toBe(10);
  });
});
