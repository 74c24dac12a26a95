import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs } from './backoff.js';

const half = { baseDelayMs: 200, maxDelayMs: 1_000, random: () => 0.5 };

describe('the wait', () => {
  test('has a random part that doubles with each attempt, up to its greatest', () => {
    expect([1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, 0, half))).toEqual([
      100, 200, 400, 500, 500, 500,
    ]);
  });

  test('comes on top of what the rejection asks for', () => {
    expect([1, 2, 3].map((attempt) => backoffMs(attempt, 1_000, half))).toEqual([1_100, 1_200, 1_400]);
  });

  test('takes what is no time to wait as 0', () => {
    const asked = [Number.NaN, -5, undefined as unknown as number];
    expect(asked.map((retryAfterMs) => backoffMs(1, retryAfterMs, half))).toEqual([100, 100, 100]);
  });

  test.each([Number.NaN, -5, 2, 1e9, undefined as unknown as number])(
    'with %d from the random source has the whole window on top',
    (draw) => {
      expect(backoffMs(1, 1_000, { ...half, random: () => draw })).toBe(1_200);
    },
  );

  test('is never more than a timer can wait', () => {
    expect(backoffMs(1, Number.POSITIVE_INFINITY, half)).toBe(2_147_483_647);
  });

  test('is between what was asked for and the whole window on top', () => {
    const milliseconds = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        milliseconds,
        milliseconds,
        milliseconds,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, retryAfterMs, baseDelayMs, maxDelayMs, random) => {
          const wait = backoffMs(attempt, retryAfterMs, { baseDelayMs, maxDelayMs, random: () => random });
          expect(wait).toBeGreaterThanOrEqual(retryAfterMs);
          expect(wait).toBeLessThanOrEqual(retryAfterMs + maxDelayMs);
        },
      ),
    );
  });
});
