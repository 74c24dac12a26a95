import { expect, test } from 'vitest';
import { KneeController } from './knee.js';
import { windowOf } from './testing/window-of.js';

/** Normally distributed figures, the same for the same seed. */
function chanceOf(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * A knee of 16 at 10 ms, always asked for more, whose operations have a standard deviation of so many means (log-normal): so
 * much does the work of a window vary.
 */
function limitsUnder(deviation: number, seed: number, windows = 400): number[] {
  const controller = new KneeController();
  const chance = chanceOf(seed);
  return Array.from({ length: windows }, (_, index) => {
    const limit = Math.round(controller.limit);
    const expected = 50 * Math.min(limit, 16);
    const succeeded = Math.round(expected * Math.exp((deviation * chance()) / Math.sqrt(expected)));
    const meanLatency = (500 * limit) / succeeded;
    const p50 = meanLatency / Math.sqrt(1 + deviation ** 2);
    const span = { startedAt: index * 500, endedAt: (index + 1) * 500 };
    controller.onWindow(
      windowOf({ ...span, limit, succeeded, rejected: succeeded, meanInFlight: limit, meanLatency, p50 }),
    );
    return controller.limit;
  }).slice(50);
}

test.each([
  [1, 0.99, 20],
  [4, 0.935, 32],
])(
  'operations with a deviation of %d means: nearly all work is done, at not much more than the knee',
  (...of) => {
    const [deviation, least, most] = of;
    const shares = [1, 2, 3, 4, 5, 6].map((seed) => {
      const limits = limitsUnder(deviation, seed);
      expect(meanOf(limits)).toBeLessThan(most);
      return meanOf(limits.map((limit) => Math.min(limit, 16) / 16));
    });
    expect(Math.min(...shares)).toBeGreaterThan(least);
    expect(meanOf(shares)).toBeGreaterThan(0.98);
  },
);

function meanOf(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure) / figures.length;
}
