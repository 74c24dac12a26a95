import { describe, expect, test } from 'vitest';
import { arrivalsOf } from './arrivals.js';
import { fixed, ours } from './contenders.js';
import { Database } from './database.js';
import { EventHeap } from './event-heap.js';
import { complaintsOf } from './expectations.js';
import { RandomStream } from './random.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { tuned } from './scenarios.js';
import { trialsOf } from './trials.js';

const named = (name: string): Scenario => tuned.find((scenario) => scenario.name === name)!;

describe('the simulator', () => {
  test('gives each purpose and seed a stream of its own', () => {
    const first = (seed: number, purpose: string) => new RandomStream(seed, purpose).next();
    expect(first(1, 'gaps')).toBe(first(1, 'gaps'));
    expect(new Set([first(1, 'gaps'), first(2, 'gaps'), first(1, 'luck'), first(12, 'gaps')]).size).toBe(4);
  });

  test('draws demands with the mean and the variation that were asked for', () => {
    for (const cv of [0, 0.3, 1, 4]) {
      const stream = new RandomStream(7, 'demand');
      const draws = Array.from({ length: 200_000 }, () => stream.positive(10, cv));
      const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
      expect(Math.abs(mean / 10 - 1)).toBeLessThan(0.03);
    }
  });

  test('takes events by time, then in the order they were added', () => {
    const heap = new EventHeap<string>();
    for (const [at, item] of [
      [5, 'c'],
      [1, 'a'],
      [5, 'd'],
      [2, 'b'],
      [9, 'e'],
    ] as const)
      heap.add(at, item);
    expect(Array.from({ length: 5 }, () => heap.take()).join('')).toBe('abcde');
    expect(heap.nextAt).toBe(Number.POSITIVE_INFINITY);
  });

  test('shares a full database evenly, and slows past the knee by the contention', () => {
    const database = new Database<string>({ capacity: 2, contention: 0.5 });
    database.begin(0, 10, 'a');
    database.begin(0, 10, 'b');
    expect(database.nextAt).toBe(10);
    // Three at (2 / 3) / 1.5 of full speed: the 5 ms that are left take 11.25.
    database.begin(5, 10, 'c');
    expect(database.nextAt).toBeCloseTo(16.25);
    database.set(5, { capacity: 0, contention: 0.5 });
    expect(database.nextAt).toBe(Number.POSITIVE_INFINITY);
  });

  test('offers every contender the same, and repeats exactly', () => {
    const scenario = { ...named('overload-3x'), durationMs: 3000 };
    const arrivals = arrivalsOf(scenario, 3);
    const runs = [ours, ours, fixed(16)].map((contender) => runScenario(scenario, arrivals, contender));
    const offered = runs.map(({ tally }) => tally.bins.reduce((sum, bin) => sum + bin.offered, 0));
    expect(offered).toEqual(Array(3).fill(arrivals.length));
    expect(runs[0]!.tally).toEqual(runs[1]!.tally);
    expect(runs[0]!.limits).toEqual(runs[1]!.limits);
  });

  test.each(['step', 'small-pool', 'lost-answers', 'zombies', 'retry-storm'])(
    'loses no permit in %s',
    (name) => {
      const scenario = named(name);
      const silent = {
        ...scenario,
        durationMs: 20_000,
        phases: [...scenario.phases.filter(({ at }) => at < 10_000), { at: 10_000, rate: 0 }],
      };
      const { world } = runScenario(silent, arrivalsOf(silent, 1), ours);
      expect(
        world.processes.map(({ limiter }) => [limiter.inFlight, limiter.stats().doubleReleases]),
      ).toEqual([[0, 0]]);
      expect(world.databaseInFlight).toBe(0);
    },
  );
});

/** A seed that is in no report. */
test.each([
  'step',
  'overload-3x',
  'collapse',
  'cold-start',
  'black-hole-2x',
  'network-step',
  'mix-shift',
  'stalls',
  'small-pool',
  'fan-out',
  'fan-out-fast',
])('adaptive control keeps its range in %s', (name) => {
  expect(complaintsOf(trialsOf(named(name), 77, [ours]))).toEqual([]);
});

test('without figures the limit drifts to the fallback within ten windows, and comes back', () => {
  const scenario = named('no-figures');
  const { limits } = runScenario(scenario, arrivalsOf(scenario, 5), {
    ...ours,
    make: (options, stalls) => ours.make(options, stalls, { ...scenario, bounds: { initial: 60 } }),
  });
  const at = (seconds: number) => limits[seconds * 10 - 1]!;
  expect(at(29)).toBe(at(21));
  expect(Math.abs(at(37) - 60)).toBeLessThan(2);
  expect(at(69)).toBeGreaterThan(15);
});

test('a limit of errors that say nothing stays; one of refused connections is cut to 0.3 within 3 s', () => {
  const limitsOf = (name: string) => runScenario(named(name), arrivalsOf(named(name), 5), ours).limits;
  const ignored = limitsOf('ignored-errors');
  expect(ignored[229]! / ignored[199]!).toBeCloseTo(1, 1);
  const refused = limitsOf('refused');
  expect(refused[229]! / refused[199]!).toBeLessThanOrEqual(0.3);
});
