import { expect, test } from 'vitest';
import { LatencyHistogram } from './latency-histogram.js';

test('a percentile is within 1.1 % of the true one, from microseconds to minutes', () => {
  for (const scale of [0.01, 1, 100]) {
    const histogram = new LatencyHistogram();
    for (let n = 1; n <= 1000; n++) histogram.record(n * scale);
    for (const fraction of [0.1, 0.5, 0.9, 0.99, 1]) {
      const ratio = histogram.percentile(fraction)! / (fraction * 1000 * scale);
      expect(ratio).toBeGreaterThan(0.989);
      expect(ratio).toBeLessThan(1.011);
    }
  }
});

test('without samples there is no percentile', () => {
  expect(new LatencyHistogram().percentile(0.99)).toBeUndefined();
});

test('what is below a microsecond is 0, what is too long falls into the last bucket', () => {
  const histogram = new LatencyHistogram();
  histogram.record(0);
  histogram.record(-1);
  expect(histogram.percentile(1)).toBe(0);
  histogram.record(1e9);
  expect(histogram.percentile(1)).toBeGreaterThan(130_000);
});

test('two histograms added up have the percentiles of all their samples', () => {
  const fast = new LatencyHistogram();
  const slow = new LatencyHistogram();
  for (let n = 0; n < 98; n++) fast.record(10);
  for (let n = 0; n < 2; n++) slow.record(1000);
  fast.add(slow);
  expect(fast.count).toBe(100);
  expect(fast.percentile(0.98)).toBeCloseTo(10, 0);
  expect(fast.percentile(0.99)! / 1000).toBeCloseTo(1, 1);
});
