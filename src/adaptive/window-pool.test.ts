import { describe, expect, test } from 'vitest';
import type { SampleWindow } from './controller.js';
import { windowOf } from './testing/window-of.js';
import { isFilling } from './window-figures.js';
import { WindowPool } from './window-pool.js';

/** Half a second, the `index`-th. */
function nth(index: number, figures: Partial<SampleWindow>): SampleWindow {
  const { succeeded = 0 } = figures;
  const meanLatency = succeeded === 0 ? Number.NaN : 1000;
  return windowOf({ startedAt: index * 500, succeeded, meanLatency, ...figures });
}

describe('WindowPool', () => {
  test('gives 60 answers at once, and fewer once they are together', () => {
    const pool = new WindowPool();
    expect(pool.add(nth(0, { succeeded: 60 }))).toMatchObject({ succeeded: 60, startedAt: 0 });
    expect(pool.add(nth(1, { succeeded: 25, fullShare: 0.1 }))).toBeUndefined();
    expect(pool.add(nth(2, { succeeded: 35, fullShare: 0.3, meanInFlight: 20 }))).toMatchObject({
      succeeded: 60,
      startedAt: 500,
      endedAt: 1500,
      meanInFlight: 15,
      fullShare: 0.2,
      workRate: 60,
    });
  });

  test('what was gathered at another limit is forgotten', () => {
    const pool = new WindowPool();
    pool.add(nth(0, { succeeded: 50 }));
    expect(pool.add(nth(1, { succeeded: 50, limit: 21 }))).toBeUndefined();
  });

  test.each([
    ['a standstill before is left out', { succeeded: 12, workRate: 1.2 }, 60],
    ['a time with more than three times the work is left out', { succeeded: 50, workRate: 400 }, 60],
    ['one with half the work is not', { succeeded: 30, workRate: 60 }, 90],
  ])('%s', (_, before, together) => {
    const pool = new WindowPool();
    expect(pool.add(nth(0, { ...before, meanLatency: 25 }))).toBeUndefined();
    expect(pool.add(nth(1, { succeeded: 60, meanLatency: 25 }))?.succeeded).toBe(together);
  });

  test('slow operations: windows without answers count with their neighbours, so that work is not overrated', () => {
    const pool = new WindowPool();
    const pooled = [30, 0, 0, 40].map((succeeded, index) => pool.add(nth(index, { succeeded })));
    expect(pooled.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(pooled[3]).toMatchObject({
      succeeded: 70,
      workRate: 35,
      meanLatency: 1000,
      startedAt: 0,
      endedAt: 2000,
    });
  });

  test('an empty window is a neighbour where operations take a quarter of it, or nobody knows', () => {
    const pool = new WindowPool();
    const empty = nth(1, {});
    expect(pool.spans(empty)).toBe(true);
    pool.add(nth(0, { succeeded: 100, meanLatency: 10 }));
    expect(pool.spans(empty)).toBe(false);
    pool.add(nth(0, { succeeded: 100, meanLatency: 126 }));
    expect(pool.spans(empty)).toBe(true);
  });

  test('after five seconds it takes what there is, nothing included', () => {
    const pool = new WindowPool();
    const pooled = Array.from({ length: 10 }, (_, index) => pool.add(nth(index, {})));
    expect(pooled.slice(0, 9)).toEqual(Array(9).fill(undefined));
    expect(pooled[9]).toMatchObject({ succeeded: 0, startedAt: 0, endedAt: 5000 });
  });
});

test.each([
  ['as much ends as begins', { admitted: 500, succeeded: 500 }, false],
  ['chance', { admitted: 500, succeeded: 400 }, false],
  ['it fills', { admitted: 500, succeeded: 300 }, true],
  ['it empties', { admitted: 300, succeeded: 500 }, true],
  ['what was refused tells of the load', { admitted: 500, succeeded: 300, rejected: 1 }, false],
  ['ignored ones end, too', { admitted: 500, succeeded: 300, ignored: 200 }, false],
])('filling: %s', (_, figures, filling) => {
  expect(isFilling(nth(0, figures))).toBe(filling);
});
