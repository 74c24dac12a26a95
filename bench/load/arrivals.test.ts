import { expect, test } from 'vitest';
import { type Arrivals, evenArrivals, poissonArrivals } from './arrivals.js';

test('even arrivals keep their distance and do not drift', () => {
  const arrivals = take(evenArrivals(3000), 30_001);
  expect(arrivals.slice(0, 4)).toEqual([0, 1 / 3, 2 / 3, 1]);
  expect(arrivals[30_000]).toBe(10_000);
});

test('poisson arrivals come at the rate asked for, with exponential gaps', () => {
  const arrivals = take(poissonArrivals(2000, 1), 100_000);
  const gaps = arrivals.map((at, index) => at - (arrivals[index - 1] ?? 0));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  expect(mean).toBeCloseTo(0.5, 2);
  expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1);
  expect(Math.min(...gaps.slice(0, 1000))).toBeGreaterThanOrEqual(0);
});

test('the same seed brings the same arrivals, another seed others', () => {
  const first = take(poissonArrivals(100, 7), 50);
  expect(take(poissonArrivals(100, 7), 50)).toEqual(first);
  expect(take(poissonArrivals(100, 8), 50)).not.toEqual(first);
});

function take(arrivals: Arrivals, count: number): number[] {
  const taken: number[] = [];
  for (const at of arrivals) {
    if (taken.length === count) break;
    taken.push(at);
  }
  return taken;
}
