import { describe, expect, test } from 'vitest';
import { type ControllerName, resolveAdaptive } from './adaptive-options.js';
import { Governor } from './governor.js';
import { limitInForce } from './limit-in-force.js';
import { Limiter } from './limiter.js';
import { windowOf } from './testing/window-of.js';

const range = { initial: 20, min: 2, max: 50 };

test.each([
  ['is what was decided, however that is rounded', 21, 20.4, 20.4],
  ['is the window’s where somebody else has moved it by one', 21, 20, 21],
  ['is the window’s where a guard has cut it', 16, 20.4, 16],
  ['stays within the controller’s range, below', 1, 20, 2],
  ['stays within the controller’s range, above', 60, 20, 50],
  ['is what was decided where the window’s is none: NaN', Number.NaN, 20, 20],
  ['is what was decided where the window’s is none: Infinity', Number.POSITIVE_INFINITY, 20, 20],
  ['is what was decided where the window’s is none: 0', 0, 20, 20],
])('the limit in force %s', (_, limit, decided, expected) => {
  expect(limitInForce(limit, decided, range)).toBe(expected);
});

const all: ControllerName[] = ['aimd', 'vegas', 'gradient2', 'threshold'];

/** The limits of a limiter whose every permit is always held for 10 ms, each 510 ms after a resize from 40 to 5. */
function limitsAfterResize(controller: ControllerName): number[] {
  let now = 0;
  const limiter = new Limiter({ now: () => now, adaptive: { controller, initial: 40 } });
  const fill = (ms: number) => {
    for (const end = now + ms; now < end; ) {
      const permits = [];
      for (let permit = limiter.tryAcquire(); permit !== undefined; permit = limiter.tryAcquire())
        permits.push(permit);
      now += 10;
      for (const permit of permits) permit.release();
    }
    return limiter.limit;
  };
  fill(3000);
  limiter.resize(5);
  return Array.from({ length: 4 }, () => fill(510));
}

describe('after resize(5)', () => {
  test.each([
    ['aimd', [6, 7, 8, 9]],
    ['vegas', [11, 17, 23, 29]],
    ['gradient2', [6, 7, 7, 8]],
    ['threshold', [6, 7, 8, 9]],
  ] as const)('%s goes on from there', (controller, limits) => {
    expect(limitsAfterResize(controller)).toEqual(limits);
  });
});

/** The least and the greatest limit under a guard of 60 ms, where p95 is two milliseconds a permit. */
function guardedRange(controller: ControllerName): [number, number] {
  const governor = new Governor(resolveAdaptive({ controller, targetLatencyMs: 60 }, 1000)!, 0, controller);
  const limits: number[] = [];
  let limit = 20;
  for (let index = 0; index < 300; index++) {
    const times = { startedAt: index * 500, endedAt: (index + 1) * 500 };
    limit = governor.onWindow(windowOf({ ...times, limit, meanLatency: 10, p95: 2 * limit })).limit;
    if (index >= 100) limits.push(limit);
  }
  return [Math.min(...limits), Math.max(...limits)];
}

describe('under a guard', () => {
  test.each(all)(
    '%s stays near the limit that the guard allows: it has none of its own far above',
    (name) => {
      const [least, most] = guardedRange(name);
      expect(least).toBeGreaterThanOrEqual(25);
      // Vegas takes six at a time.
      expect(most).toBeLessThanOrEqual(36);
    },
  );
});
