import { expect, test } from 'vitest';
import type { SampleWindow } from './controller.js';
import { Limiter } from './limiter.js';

/** Lengths of the first eight windows, in milliseconds, of operations one after the other. */
function lengths(answersIn125Ms: number): number[] {
  const clock = { now: 0 };
  const windows: SampleWindow[] = [];
  const onWindow = (window: SampleWindow) => {
    windows.push(window);
    return { limit: window.limit, reason: '' };
  };
  const limiter = new Limiter({ now: () => clock.now, adaptive: { limit: 4, onWindow } });
  for (let index = 0; index < answersIn125Ms * 40; index++) {
    const permit = limiter.acquire();
    clock.now += 125 / answersIn125Ms;
    permit.release('success');
  }
  return windows.slice(0, 8).map(({ startedAt, endedAt }) => Math.round(endedAt - startedAt));
}

test('windows are as short as a quarter where they have plenty: a thousand answers, the first four 250', () => {
  expect(lengths(1000)).toEqual([125, 125, 125, 125, 125, 125, 125, 125]);
  expect(lengths(250)).toEqual([125, 125, 125, 125, 500, 500, 500, 500]);
  expect(lengths(50)).toEqual([500, 500, 500, 500, 500, 500, 500, 500]);
});
