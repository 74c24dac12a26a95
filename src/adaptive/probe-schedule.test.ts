import { describe, expect, test } from 'vitest';
import { limitBelow, ProbeSchedule } from './probe-schedule.js';
import { ResponseNoise } from './response-noise.js';

/** The sides that are looked at in so many windows, each `every` slots of the grid after the one before. */
function sides(windows: number, slotOf: (index: number) => number | undefined, wanted = true): string[] {
  const probes = new ProbeSchedule(new ResponseNoise());
  return Array.from({ length: windows }, (_, index) => {
    probes.onWindow(slotOf(index));
    return probes.next(wanted, 20, 0.13, 1)?.side ?? '';
  });
}

const turnsOf = (all: readonly string[], side: string) =>
  all.flatMap((each, index) => (each === side ? [index + 1] : []));

describe('ProbeSchedule', () => {
  test('without a grid looks often at first, then above each 16th and below each 32nd window', () => {
    const all = sides(96, () => undefined);
    expect(turnsOf(all, 'above')).toEqual([4, 8, 24, 40, 56, 72, 88]);
    expect(turnsOf(all, 'below')).toEqual([32, 64, 96]);
  });

  test('on a grid all processes look above at the same slots, each 64th', () => {
    const all = sides(200, (index) => index + 1000);
    const above = turnsOf(all, 'above').map((turn) => (turn + 1000) % 64);
    expect(above).toEqual(above.map(() => 32));
    expect(above.length).toBeGreaterThanOrEqual(3);
  });

  test.each([1, 3, 7, 12, 50])(
    'windows put together, %i slots apart from an odd one on, step over no turn for good',
    (apart) => {
      const all = sides(400, (index) => 1 + index * (apart + 1));
      expect(turnsOf(all, 'above').length).toBeGreaterThan(5);
      expect(turnsOf(all, 'below').length).toBeGreaterThan(10);
    },
  );

  test('where the one below is 1 or 2 does not look there often, whatever changes: much less work is done there', () => {
    const belowAt = (limit: number, slack: number) => {
      const probes = new ProbeSchedule(new ResponseNoise());
      const all = Array.from({ length: 96 }, () => {
        probes.watch(12);
        probes.onWindow(undefined);
        return probes.next(true, limit, slack, 1)?.side ?? '';
      });
      return turnsOf(all, 'below');
    };
    expect(belowAt(5, 4)).toEqual([32, 64, 96]);
    expect(belowAt(4, 0.4)).toEqual([32, 64, 96]);
    expect(belowAt(5, 0.4)).toEqual([8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96]);
  });

  test('leaves at least three windows between two looks', () => {
    for (const apart of [1, 2, 5, 9, 33]) {
      const turns = sides(300, (index) => index * apart).flatMap((side, index) =>
        side === '' ? [] : [index],
      );
      const gaps = turns.slice(1).map((turn, index) => turn - turns[index]!);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4);
    }
  });

  test('looks above before its turn where that is owed, two windows after the last look at the earliest', () => {
    const probes = new ProbeSchedule(new ResponseNoise());
    const looks: string[] = [];
    for (let index = 0; index < 40; index++) {
      probes.onWindow(1000 + index);
      if ([20, 31, 32].includes(index)) probes.owe();
      looks.push(probes.next(true, 20, 0.13, 1)?.side ?? '');
    }
    // Below in its turn, each 8th window at first.
    expect(looks.flatMap((side, index) => (side === '' ? [] : [`${side} ${index}`]))).toEqual([
      'below 0',
      'above 20',
      'above 31',
      'above 33',
    ]);
  });

  test('looks above each 8th window at a limit of two', () => {
    const probes = new ProbeSchedule(new ResponseNoise());
    const looks = Array.from({ length: 100 }, (_, index) => {
      probes.onWindow(index);
      return probes.next(true, 2, 0.6, 1)?.side ?? '';
    });
    expect(turnsOf(looks, 'above').slice(0, 4)).toEqual([4, 12, 20, 28]);
  });

  test('at a limit of one looks above only, as often as at two', () => {
    const probes = new ProbeSchedule(new ResponseNoise());
    const looks = Array.from({ length: 60 }, (_, index) => {
      probes.onWindow(2 * index);
      probes.watch();
      return probes.next(true, 1, 0.98, 1);
    });
    expect(looks.filter((probe) => probe !== undefined).slice(0, 3)).toEqual(
      Array(3).fill({ side: 'above', limit: 2 }),
    );
    expect(looks.flatMap((probe, index) => (probe === undefined ? [] : [index])).slice(0, 4)).toEqual([
      2, 6, 10, 14,
    ]);
  });

  test.each([2 ** 53, Number.POSITIVE_INFINITY, -(2 ** 53), -1000, Number.NaN, 0.5])(
    'takes a slot of %d, which no grid has, for none',
    (slot) => {
      expect(sides(96, (index) => slot + index)).toEqual(sides(96, () => undefined));
    },
  );

  test('looks at the last turns that can be counted, and ends', () => {
    const first = Number.MAX_SAFE_INTEGER - 4;
    expect(sides(5, (index) => first + index)).toEqual(['below', '', '', '', 'below']);
  });

  test('looks nowhere while that is not wanted', () => {
    expect(new Set(sides(100, () => undefined, false))).toEqual(new Set(['']));
  });
});

test.each([
  [20, 0.13, 16],
  [2, 0.6, 1],
  [1.4, 0.6, 0],
  [100, 0.06, 85],
])('below %d, with a slack of %d, is %i', (limit, slack, below) => {
  expect(limitBelow(limit, slack)).toBe(below);
});
