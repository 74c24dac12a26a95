import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LatencyHistogram, mergedPercentiles } from './latency-histogram.js';

const FRACTIONS = [0.5, 0.9, 0.95, 0.99, 1];
/** From a microsecond to 134 seconds, evenly over the orders of magnitude. */
const latency = fc.double({ min: Math.log(0.001), max: Math.log(134_000), noNaN: true }).map(Math.exp);

function exact(samples: readonly number[], fraction: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(fraction * sorted.length)) - 1]!;
}

describe('LatencyHistogram', () => {
  test('tells percentiles within 4.5 % of those of the sorted samples', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 400 }), (samples) => {
        const histogram = new LatencyHistogram(0);
        for (const sample of samples) histogram.record(0, sample);
        const told = histogram.percentiles(0, FRACTIONS);
        for (const [index, fraction] of FRACTIONS.entries()) {
          expect(Math.abs(told[index]! / exact(samples, fraction) - 1)).toBeLessThan(0.045);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('merged with others tells the percentiles of all samples together', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(latency, { minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 6 }),
        (parts) => {
          const histograms = parts.map((samples) => {
            const histogram = new LatencyHistogram(0);
            for (const sample of samples) histogram.record(0, sample);
            return histogram;
          });
          const told = mergedPercentiles(histograms, 0, FRACTIONS);
          for (const [index, fraction] of FRACTIONS.entries()) {
            expect(Math.abs(told[index]! / exact(parts.flat(), fraction) - 1)).toBeLessThan(0.045);
          }
        },
      ),
    );
  });

  test('has samples of the last 10 seconds always, of more than 20 seconds ago never', () => {
    const times = fc.array(fc.double({ min: 0, max: 8000, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, (gaps) => {
        let now = 0;
        const histogram = new LatencyHistogram(now);
        const samples: { at: number; ms: number }[] = [];
        for (const [index, gap] of gaps.entries()) {
          now += gap;
          const ms = 1.2 ** index;
          histogram.record(now, ms);
          samples.push({ at: now, ms });
          const [most] = histogram.percentiles(now, [1]);
          const [least] = histogram.percentiles(now, [1e-9]);
          // Samples grow, so the least one told is the oldest one kept.
          expect(Math.abs(most! / ms - 1)).toBeLessThan(0.045);
          const oldest = samples.find((sample) => Math.abs(sample.ms / least! - 1) < 0.045)!;
          expect(now - oldest.at).toBeLessThanOrEqual(20_000);
          const recent = samples.find((sample) => now - sample.at < 10_000)!;
          expect(oldest.at).toBeLessThanOrEqual(recent.at);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('read late, still forgets what is older than 20 seconds', () => {
    const histogram = new LatencyHistogram(0);
    histogram.record(0, 500);
    expect(histogram.percentiles(19_000, [1])[0]).toBeGreaterThan(477);
    histogram.record(19_000, 1);
    expect(histogram.percentiles(21_000, [1])[0]).toBeLessThan(1.05);
  });

  test('has no percentile without samples', () => {
    const histogram = new LatencyHistogram(0);
    expect(histogram.percentiles(0, FRACTIONS)).toEqual(FRACTIONS.map(() => undefined));
    histogram.record(0, 3);
    expect(histogram.percentiles(60_000, [0.5])).toEqual([undefined]);
  });

  test.each([
    [0, 0],
    [-5, 0],
    [Number.NaN, 0],
    [0.0001, 0],
  ])('counts a latency of %d ms as %d', (latencyMs, told) => {
    const histogram = new LatencyHistogram(0);
    histogram.record(0, latencyMs);
    expect(histogram.percentiles(0, [0.5])).toEqual([told]);
  });

  test.each([134_218, 1e9, Number.POSITIVE_INFINITY])('counts %d ms as its last bucket', (latencyMs) => {
    const histogram = new LatencyHistogram(0);
    histogram.record(0, latencyMs);
    expect(Math.abs(histogram.percentiles(0, [0.5])[0]! / 134_218 - 1)).toBeLessThan(0.1);
  });
});
