import { expect, test } from 'vitest';
import type { SampleWindow } from './controller.js';
import { Elasticity } from './elasticity.js';
import { YieldWatch } from './yield-watch.js';

function windowOf(limit: number, workRate: number, rejected = 1000): SampleWindow {
  const figures = { limit, workRate, rejected, admitted: 400, succeeded: 400 };
  return { startedAt: 0, endedAt: 500, ...figures } as SampleWindow;
}

test('elasticity is 1 where work follows the limit, 0 where it does not, negative under thrashing', () => {
  for (const [high, expected] of [
    [1100, 1],
    [1000, 0],
    [1000 / 1.1, -1],
  ] as const) {
    const elasticity = new Elasticity();
    elasticity.addPair(windowOf(11, high), windowOf(10, 1000));
    expect(elasticity.value).toBeCloseTo(expected, 10);
    // sqrt(1.5 (1/400 + 1/400)) / ln 1.1
    expect(elasticity.error).toBeCloseTo(0.0866 / 0.0953, 3);
  }
});

test('pairs are averaged by their precision: a wide one counts for more', () => {
  const elasticity = new Elasticity();
  elasticity.addPair(windowOf(11, 1100), windowOf(10, 1000));
  elasticity.addPair(windowOf(20, 1000), windowOf(10, 1000));
  // Weights are ln(1.1)^2 x 0.9 and ln(2)^2.
  const narrow = Math.log(1.1) ** 2 * 0.9;
  expect(elasticity.value).toBeCloseTo(narrow / (narrow + Math.log(2) ** 2), 10);
});

test('what merely the load did is taken out while little is refused', () => {
  const elasticity = new Elasticity();
  // 5 % more was offered, and 5 % more done: the limit had no part in it.
  const [high, low] = [windowOf(11, 1050, 0), windowOf(10, 1000, 0)];
  elasticity.addPair({ ...high, admitted: 420 }, low);
  expect(elasticity.value).toBeCloseTo(0, 10);
});

test('older pairs are dropped when the last ones contradict them', () => {
  const elasticity = new Elasticity();
  for (let index = 0; index < 30; index++) elasticity.addPair(windowOf(14, 1000), windowOf(10, 1000));
  for (let index = 0; index < 6; index++) elasticity.addPair(windowOf(14, 1400), windowOf(10, 1000));
  expect(elasticity.value).toBeGreaterThan(0.9);
});

test('nothing can be learnt from windows without work', () => {
  const elasticity = new Elasticity();
  elasticity.addPair(windowOf(12, 0), windowOf(10, 1000));
  expect([elasticity.value, elasticity.error]).toEqual([0, Number.POSITIVE_INFINITY]);
});

test('a lasting change of the yield is noticed within windows, noise is not', () => {
  const watch = new YieldWatch();
  const tell = (workRate: number, rejected = 1000) => {
    const window = windowOf(10, workRate, rejected);
    watch.learnRefused(window);
    return watch.changeIn(window, 0, 0.05);
  };
  // The load comes to exceed the limit: look downwards first.
  expect([tell(1000, 0), tell(1000, 0), tell(1000)]).toEqual([0, 0, -1]);
  watch.restart();
  const noise = Array.from({ length: 40 }, (_, index) =>
    tell(1000 * (1 + 0.05 * (index % 2 === 0 ? 1 : -1))),
  );
  expect(noise.every((direction) => direction === 0)).toBe(true);
  const halved = Array.from({ length: 3 }, () => tell(500));
  expect(halved).toContain(-1);
});
