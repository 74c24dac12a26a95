import { expect, test } from 'vitest';
import { stepTowards } from './step-towards.js';

const how = { noise: 0.02, refused: 0.3, sustained: false };

test.each([
  ['plainly elsewhere: all the way', 10, how, 10, true],
  ['near, but by more than chance', 18, how, 18, false],
  ['what may be chance: a third of it', 19.5, how, 20 * (19.5 / 20) ** 0.3, false],
  ['what may be chance, again and again', 19.5, { ...how, sustained: true }, 19.5, false],
  ['noise', 10, { ...how, noise: 0.5 }, 20 * 0.5 ** 0.3, false],
  ['hardly anything is refused: a third of it', 10, { ...how, refused: 0.05 }, 20 * 0.5 ** 0.3, true],
  ['hardly anything is refused, but far away', 5, { ...how, refused: 0.05 }, 5, true],
])('%s', (_, target, options, limit, farAway) => {
  const step = stepTowards(target, 20, options);
  expect(step.limit).toBeCloseTo(limit, 9);
  expect(step.farAway).toBe(farAway);
});
