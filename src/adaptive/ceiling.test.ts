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
  for (let now = 500; now <= 160_000; now += 500) {
    limit = ceiling.below(limit, 400, now);
    if (limit <= 105) continue;
    tried.push(now / 1000);
    ceiling.met(100, now);
    limit = 50;
  }
  expect(tried).toEqual([5, 15, 35, 75, 115, 155]);
});

test('one that is gone is outgrown', () => {
  const ceiling = new Ceiling();
  ceiling.met(20, 0);
  let limit = 18;
  for (let now = 500; now <= 40_000; now += 500) limit = ceiling.below(limit, 200, now);
  expect(limit).toBe(200);
});

test('it is gone as soon as more is taken', () => {
  const ceiling = new Ceiling();
  ceiling.met(20, 0);
  ceiling.passed(21);
  expect(ceiling.below(18, 200, 100)).toBeCloseTo(Math.sqrt(18 * 20));
  ceiling.passed(23);
  expect(ceiling.below(18, 200, 100)).toBe(200);
});

test('where much is refused below it, it was none, and the next one waits no longer for that', () => {
  const ceiling = new Ceiling();
  ceiling.met(20, 0);
  ceiling.met(18, 3000);
  expect(ceiling.below(18, 200, 3000)).toBe(200);
  ceiling.met(20, 4000);
  expect(ceiling.below(18.7, 200, 8999)).toBe(18.7);
  expect(ceiling.below(18.7, 200, 9000)).toBeGreaterThan(22);
});

test('a trial that fails goes back to what was fine', () => {
  const ceiling = new Ceiling();
  ceiling.met(20, 0);
  expect(ceiling.belowTrial).toBeUndefined();
  ceiling.below(18, 200, 5000);
  expect(ceiling.belowTrial).toBeCloseTo(0.93 * 20);
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
    for (const each of windows) cuts.onWindow(each, 20, true);
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

  test('a quarter refused now and then, whatever the limit is: it is cut for a moment, and never less is allowed', () => {
    const cuts = new OverloadCuts();
    let limit = 20;
    const limits: number[] = [];
    for (let index = 1; index <= 1200; index++) {
      const blip = index % 20 === 0;
      const work = {
        succeeded: blip ? 75 : 100,
        overloaded: blip ? 25 : 0,
        workRate: 10 * Math.min(limit, 16),
      };
      const at = index * 500;
      const wanted = cuts.onWindow(window(at, limit, work), limit, true)?.limit ?? Math.min(24, limit * 1.5);
      limit = Math.round(cuts.ceiling.below(limit, wanted, at));
      limits.push(limit);
    }
    const lastQuarter = limits.slice(900);
    expect(lastQuarter.reduce((sum, each) => sum + each, 0) / 300).toBeGreaterThan(17);
    expect(Math.min(...lastQuarter)).toBeGreaterThan(12);
  });

  test('after an outage: less and less only where it fails at what it was asked for, not while it is still starting', () => {
    const down = (at: number, limit: number) =>
      window(at, limit, { succeeded: 0, overloaded: 100, workRate: 0 });
    const goalAfter = (failsAt: number) => {
      const cuts = new OverloadCuts();
      cuts.onWindow(window(500, 20, {}), 20, true);
      cuts.onWindow(down(1000, 20), 20, true);
      for (let at = 1500; at < 5000; at += 1000) {
        cuts.onWindow(window(at, 1, {}), 1, true);
        cuts.onWindow(down(at + 500, failsAt), 1, true);
      }
      return cuts.onWindow(window(6000, 1, {}), 1, true)?.reason;
    };
    expect(goalAfter(3)).toBe('recovering towards 17');
    expect(goalAfter(16)).toBe('recovering towards 4');
  });

  test('slower after an outage at no more than was fine before, for twelve windows', () => {
    const cuts = new OverloadCuts();
    const slower = (limit: number, ratio: number) => cuts.isBackSlower(limit, ratio);
    expect(slower(10, 3)).toBe(false);
    cuts.onWindow(window(500, 20, {}), 20, true);
    cuts.onWindow(window(1000, 20, { succeeded: 0, overloaded: 100, workRate: 0 }), 20, true);
    cuts.onWindow(window(1500, 10, {}), 10, true);
    expect([slower(17, 1.4), slower(21, 3), slower(17, 3)]).toEqual([false, false, true]);
    for (let index = 0; index < 8; index++) expect(slower(17, 3)).toBe(true);
    expect(slower(17, 3)).toBe(false);
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
