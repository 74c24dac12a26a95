import { describe, expect, test } from 'vitest';
import { Ceiling } from './ceiling.js';
import type { SampleWindow } from './controller.js';
import { OverloadCuts } from './overload-cuts.js';

test('without one, a limit goes where it is wanted', () => {
  expect(new Ceiling().below(20, 400, 0)).toBe(400);
});

test('a limit goes half of what is left of the way at a time, and stays a little below', () => {
  const ceiling = new Ceiling();
  ceiling.met(100, 0);
  const way = [25];
  for (let step = 0; step < 5; step++) way.push(ceiling.below(way.at(-1)!, 400, 1000));
  expect(way.map(Math.round)).toEqual([25, 50, 71, 84, 92, 96]);
  expect(ceiling.below(96, 400, 1000)).toBe(96);
  expect(ceiling.below(96, 30, 1000)).toBe(30);
  expect(ceiling.below(25, 80, 1000)).toBe(80);
});

test('it rises by half after five seconds, and again, until it is met; each time at one height takes twice as long', () => {
  const ceiling = new Ceiling();
  const tried: number[] = [];
  let limit = 90;
  ceiling.met(100, 0);
  for (let now = 500; now <= 120_000; now += 500) {
    limit = ceiling.below(limit, 400, now);
    if (limit <= 105) continue;
    tried.push(now / 1000);
    ceiling.met(100, now);
    limit = 50;
  }
  expect(tried).toEqual([5, 15, 35, 75]);
});

test('one that is gone is outgrown', () => {
  const ceiling = new Ceiling();
  ceiling.met(20, 0);
  let limit = 18;
  for (let now = 500; now <= 40_000; now += 500) limit = ceiling.below(limit, 200, now);
  expect(limit).toBe(200);
});

describe('OverloadCuts', () => {
  const window = (endedAt: number, limit: number, figures: Partial<SampleWindow>) =>
    ({
      endedAt,
      limit,
      succeeded: 100,
      failed: 0,
      overloaded: 0,
      maxInFlight: limit,
      workRate: 200,
      ...figures,
    }) as SampleWindow;

  /** Where a limit of 10 goes that is wanted to be 40. */
  function wayUpAfter(...windows: readonly SampleWindow[]): number {
    const cuts = new OverloadCuts();
    for (const each of windows) cuts.onWindow(each, 20);
    return Math.round(cuts.ceiling.below(10, 40, windows.at(-1)!.endedAt));
  }

  const good = window(500, 20, {});
  const refused = window(1000, 20, { overloaded: 300 });
  const after = window(1500, 10, {});

  test('most of it refused, and one cut was enough: a ceiling', () => {
    expect(wayUpAfter(good, refused, after)).toBe(14);
  });

  test('a third of it refused, and a lower limit does less: a ceiling', () => {
    const third = window(1000, 20, { overloaded: 50 });
    expect(wayUpAfter(good, third, window(1500, 14, { workRate: 140 }))).toBe(14);
    // As much work at the lower one: it was the line, which made callers give up.
    expect(wayUpAfter(good, third, window(1500, 14, { workRate: 200 }))).toBe(40);
  });

  test.each([
    ['a tenth refused', [good, window(1000, 20, { overloaded: 12 }), after]],
    [
      'an outage, which does no work',
      [good, window(1000, 20, { overloaded: 300, succeeded: 0, workRate: 0 }), after],
    ],
    ['many cuts were needed', [good, refused, refused, refused, after]],
  ])('%s: none', (_, windows) => {
    expect(wayUpAfter(...windows)).toBe(40);
  });
});
