import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SampleWindow } from '../adaptive/controller.js';
import { KneeController } from '../adaptive/knee.js';
import { windowOf } from '../adaptive/testing/window-of.js';
import { limitReason, limitReasons } from './limit-reasons.js';

test.each([
  ['resize', 'resize'],
  ['response 1.31x of the base', 'knee'],
  ['response 1.02x of the base: up', 'knee'],
  ['work follows the limit by 0.82: up', 'knee'],
  ['more in flight, and no more work: that much is enough', 'knee'],
  ['response 3.10x of the base, pool wait 40.2 ms', 'pool-wait'],
  ['response 3.10x of the base, pool wait 40.2 ms, probing below', 'pool-wait'],
  ['response 1.90x of the base, probing above', 'knee'],
  ['probing below', 'probe'],
  ['probing above', 'probe'],
  ['probing whether the response follows', 'probe'],
  ['probed: base 0.98x of what it was', 'probe'],
  ['descending: measuring', 'search'],
  ['descended: base found', 'search'],
  ['the response does not follow the limit: back', 'search'],
  ['limit not reached: hold', 'load-fits'],
  ['33.1 % refused in clumps, 1.2 in flight on average: up', 'clumps'],
  ['overload 12.0 % of answers: cut', 'overload'],
  ['overload 20.0 % of answers: cuts do not help', 'overload'],
  ['recovering towards 34', 'recovery'],
  ['recovered', 'recovery'],
  ['guard: p95 612.0 ms above 500 ms', 'guard'],
  ['no figures: drift to the fallback 20', 'stale'],
  ['gradient 0.95', 'controller'],
  ['', 'controller'],
  ['my own reason', 'controller'],
])('%j is %s', (reason, word) => {
  expect(limitReason(reason)).toBe(word);
});

describe('the words', () => {
  test('are a bounded set, whatever the reason', () => {
    fc.assert(
      fc.property(fc.string(), (reason) => {
        expect(limitReasons(true)).toContain(limitReason(reason));
      }),
    );
    expect(new Set(limitReasons(true)).size).toBe(limitReasons(true).length);
    expect(limitReasons(true)).toHaveLength(12);
    expect(limitReasons(false)).toEqual(['resize']);
  });

  test('cover every change that KneeController makes, over days of all kinds', () => {
    const heard = new Set<string>();
    const figures = fc.record({
      capacity: fc.integer({ min: 1, max: 60 }),
      offered: fc.integer({ min: 0, max: 400 }),
      overloaded: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 100 })),
      meanPoolWait: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 50 })),
      // What comes at once is refused while others wait for nothing.
      clumped: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
    });
    fc.assert(
      fc.property(fc.array(figures, { minLength: 1, maxLength: 8 }), (days) => {
        const controller = new KneeController({ initial: 20, min: 1, max: 200 });
        let at = 0;
        let limit = 20;
        for (const day of days) {
          for (let windows = 0; windows < 40; windows++) {
            const decision = controller.onWindow(halfSecondOf(at, limit, day));
            const next = Math.round(decision.limit);
            if (next !== limit) heard.add(`${limitReason(decision.reason)}`);
            if (next !== limit)
              expect([decision.reason, limitReason(decision.reason)]).not.toContain('controller');
            limit = next;
            at += 500;
          }
        }
      }),
      { numRuns: 200 },
    );
    expect([...heard].sort()).toEqual([
      'clumps',
      'knee',
      'load-fits',
      'overload',
      'pool-wait',
      'probe',
      'recovery',
      'search',
    ]);
  });
});

/** Half a second of a database whose yield grows with the limit up to its capacity. */
function halfSecondOf(
  startedAt: number,
  limit: number,
  day: { capacity: number; offered: number; overloaded: number; meanPoolWait: number; clumped: boolean },
): SampleWindow {
  const succeeded = Math.min(day.offered, 5 * Math.min(limit, day.capacity));
  return windowOf({
    startedAt,
    limit,
    succeeded,
    overloaded: day.overloaded,
    rejected: day.offered - succeeded,
    admitted: succeeded,
    maxInFlight: Math.min(limit, day.offered),
    meanInFlight: Math.min(limit, day.offered / 5) * (day.clumped ? 0.3 : 1),
    meanLatency: 10 * Math.max(1, limit / day.capacity),
    meanPoolWait: day.meanPoolWait,
  });
}
