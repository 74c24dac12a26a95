import { expect, test } from 'vitest';
import { ResponseNoise } from './response-noise.js';
import { windowOf } from './testing/window-of.js';

/** The median of exponential times, against their mean. */
const HALF = Math.LN2;

function after(
  windows: number,
  of: (index: number) => { window: Parameters<typeof windowOf>[0]; time: number },
) {
  const noise = new ResponseNoise();
  for (let index = 0; index < windows; index++) {
    const { window, time } = of(index);
    noise.onWindow(windowOf(window), time);
  }
  return noise;
}

test('what is not known yet is taken for exponential times, and some; what is regular for half of that', () => {
  expect(new ResponseNoise().of(144)).toBeCloseTo(0.1);
  const window = { meanLatency: 10, p50: 10 * HALF };
  const exponential = after(30, () => ({ window, time: 10 }));
  expect(exponential.deviation).toBe(1.2);
  expect(exponential.heaviness).toBe(1);
  const regular = after(60, () => ({ window: { meanLatency: 10, p50: 10, rejected: 100 }, time: 10 }));
  expect(regular.of(400)).toBeCloseTo(0.03);
  expect(regular.between(800, 800)).toBeCloseTo(0.03);
  expect(regular.heaviness).toBeCloseTo(0.5);
});

test('a median far below the mean tells of a heavy tail', () => {
  // Log-normal with a standard deviation of four means: mean / median is the root of 17.
  const noise = after(30, () => ({ window: { meanLatency: 10, p50: 10 / Math.sqrt(17) }, time: 10 }));
  expect(noise.deviation).toBeCloseTo(1.15 * 4, 1);
  expect(noise.heaviness).toBeCloseTo((1.15 * 4) / 1.2, 1);
  expect(noise.of(100)).toBeCloseTo(0.46, 2);
  const worse = after(30, () => ({ window: { meanLatency: 100, p50: 1 }, time: 100 }));
  expect(worse.deviation).toBe(5);
});

test('where the work of several classes is told, the median of all of them tells nothing', () => {
  const window = { meanLatency: 10, p50: 10 / Math.sqrt(17), workUnitMs: 10 };
  expect(after(30, () => ({ window, time: 1 })).deviation).toBe(1.2);
});

test('a response that differs from window to window at one limit tells, too', () => {
  const window = { rejected: 100, limit: 20, succeeded: 500 };
  const restless = after(100, (index) => ({ window, time: index % 2 === 0 ? 10 : 10 * Math.exp(0.2) }));
  // 0.2 is so many standard errors of the ratio of two means of 500.
  expect(restless.deviation).toBeCloseTo(0.2 / Math.sqrt(2 / 500), 1);
  const once = after(100, (index) => ({ window, time: index < 50 ? 10 : 40 }));
  expect(once.deviation).toBe(0.6);
});

test('figures that are missing, or none, spoil nothing', () => {
  const noise = after(30, (index) => ({
    window: { rejected: 100, meanLatency: index % 2 === 0 ? Number.NaN : 10, p50: 5 },
    time: index < 10 ? Number.POSITIVE_INFINITY : 10,
  }));
  expect(noise.deviation).toBeGreaterThan(1);
  expect(noise.deviation).toBeLessThan(5);
});

test('windows at other limits, or without a limit that was reached, are not compared', () => {
  const moving = after(100, (index) => ({
    window: { rejected: 100, limit: index % 2 === 0 ? 20 : 22 },
    time: index % 2 === 0 ? 10 : 20,
  }));
  expect(moving.deviation).toBe(1.2);
  const light = after(100, (index) => ({ window: { rejected: 0 }, time: index % 2 === 0 ? 10 : 20 }));
  expect(light.deviation).toBe(1.2);
});
