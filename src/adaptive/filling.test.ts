import { expect, test } from 'vitest';
import type { SampleWindow } from './controller.js';
import { Filling } from './filling.js';
import { ResponseNoise } from './response-noise.js';
import { windowOf } from './testing/window-of.js';

/** Half a second at a limit of 1000 in which 300 began. */
function fillingBy(
  meanInFlight: number,
  succeeded: number,
  figures: Partial<SampleWindow> = {},
): SampleWindow {
  const inFlight = { meanInFlight, maxInFlight: 2 * meanInFlight };
  return windowOf({ limit: 1000, admitted: 300, succeeded, ...inFlight, ...figures });
}

/** What is enough after two windows. */
function after(...windows: readonly SampleWindow[]): number | undefined {
  const filling = new Filling(new ResponseNoise());
  return windows.map((window) => filling.onWindow(window)).at(-1);
}

test('three times as much in flight and no more work: what was in flight before is enough', () => {
  expect(after(fillingBy(40, 200), fillingBy(120, 210))).toBe(80);
  // The limit is reached meanwhile.
  expect(after(fillingBy(40, 200), fillingBy(120, 120, { rejected: 500 }))).toBe(80);
});

test.each([
  ['a first window', [fillingBy(120, 200)]],
  ['work follows', [fillingBy(40, 80), fillingBy(120, 230)]],
  ['as much ends as begins', [fillingBy(40, 290), fillingBy(120, 300)]],
  ['hardly more is in flight', [fillingBy(40, 200), fillingBy(50, 200)]],
  ['the limit is not far above', [fillingBy(40, 200, { limit: 150 }), fillingBy(120, 200, { limit: 150 })]],
  ['a handful of answers', [fillingBy(40, 12), fillingBy(120, 12)]],
  ['something was refused before', [fillingBy(40, 200, { rejected: 10 }), fillingBy(120, 200)]],
])('%s: nothing is known', (_, windows) => {
  expect(after(...windows)).toBeUndefined();
});

/** Half a second each, in which 100 answers came. */
function lasting(...inFlight: readonly number[]): SampleWindow[] {
  return inFlight.map((meanInFlight, index) =>
    fillingBy(meanInFlight, 100, { startedAt: index * 500, admitted: 105 }),
  );
}

test('what is in flight goes on growing by a tenth of the work: where that began is enough', () => {
  expect(after(...lasting(20, 30, 40, 50))).toBeUndefined();
  expect(after(...lasting(20, 30, 40, 50, 60))).toBe(40);
  // From where it had fallen to.
  expect(after(...lasting(60, 30, 40, 50, 60))).toBeUndefined();
  expect(after(...lasting(60, 30, 40, 50, 60, 70))).toBe(60);
});

test.each([
  ['a way that has become longer', lasting(20, 60, 62, 63, 63)],
  ['growth as slow as that of a way', lasting(20, 23, 26, 29, 32, 35, 38, 41, 44)],
])('%s: nothing is known', (_, windows) => {
  expect(after(...windows)).toBeUndefined();
});
