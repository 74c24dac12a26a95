import { describe, expect, test } from 'vitest';
import { AimdController } from './aimd.js';
import { FixedController } from './fixed.js';
import { windowOf } from './testing/window-of.js';
import { ThresholdController, type ThresholdOptions } from './threshold.js';

describe('what the controllers take', () => {
  test.each([
    [0, RangeError, '0 (number)'],
    [1.5, RangeError, '1.5 (number)'],
    [undefined, TypeError, 'undefined'],
    ['7', TypeError, "'7' (string)"],
  ])('FixedController(%o) throws', (limit, kind, shown) => {
    expect(() => new FixedController(limit as never)).toThrow(
      new kind(`floodgate: limit must be an integer >= 1, got ${shown}`),
    );
  });

  test.each([
    [{ healthyMs: 5 }, TypeError, /^floodgate: unknown ThresholdController option 'healthyMs' \(known: /],
    [
      { badLatencyMS: 5 },
      TypeError,
      "floodgate: unknown ThresholdController option 'badLatencyMS' (did you mean 'badLatencyMs'?)",
    ],
    [
      { healthyLatencyMs: 600, badLatencyMs: 500 },
      RangeError,
      'floodgate: healthyLatencyMs must be at most badLatencyMs (500), got 600 (number)',
    ],
    [
      { healthyErrorRatio: 0.2, badErrorRatio: 0.1 },
      RangeError,
      'floodgate: healthyErrorRatio must be at most badErrorRatio (0.1), got 0.2 (number)',
    ],
    [
      { healthyLatencyMs: 0 },
      RangeError,
      'floodgate: healthyLatencyMs must be a number of milliseconds > 0, at most 2147483647, got 0 (number)',
    ],
    [
      { badErrorRatio: 5 },
      RangeError,
      'floodgate: badErrorRatio must be a number from 0 to 1, got 5 (number)',
    ],
    [null, TypeError, 'floodgate: ThresholdController options must be an object, got null'],
  ])('ThresholdController(%o) throws', (options, kind, message) => {
    const make = () => new ThresholdController(options as never);
    expect(make).toThrow(kind);
    expect(make).toThrow(message);
  });

  test('AimdController takes no option of others', () => {
    expect(() => new AimdController({ limit: 5 } as never)).toThrow(
      "floodgate: unknown AimdController option 'limit' (known: initial, min, max)",
    );
  });
});

describe('of two thresholds', () => {
  /** The limits after windows of these p95, each from 100. */
  function limitsAt(options: ThresholdOptions, latencies: readonly number[], overloaded = 0) {
    return latencies.map(
      (p95) =>
        new ThresholdController({ ...options, initial: 100 }).onWindow(
          windowOf({ limit: 100, p95, overloaded }),
        ).limit,
    );
  }

  test('the one that is not given gives way', () => {
    expect(limitsAt({ badLatencyMs: 100 }, [99, 100, 101])).toEqual([105, 100, 80]);
    expect(limitsAt({ healthyLatencyMs: 900 }, [899, 900, 901])).toEqual([105, 100, 80]);
  });

  test('0 allows no overload, and windows without any are healthy', () => {
    expect(limitsAt({ badErrorRatio: 0 }, [10])).toEqual([105]);
    expect(limitsAt({ badErrorRatio: 0 }, [10], 1)).toEqual([80]);
  });
});
