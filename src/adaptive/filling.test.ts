import { expect, test } from 'vitest';
import type { SampleWindow } from './controller.js';
import { Filling } from './filling.js';

/** Half a second at a limit of 1000 in which 300 began. */
function windowOf(
  meanInFlight: number,
  succeeded: number,
  figures: Partial<SampleWindow> = {},
): SampleWindow {
  return {
    limit: 1000,
    admitted: 300,
    rejected: 0,
    succeeded,
    failed: 0,
    overloaded: 0,
    ignored: 0,
    meanInFlight,
    maxInFlight: 2 * meanInFlight,
    workRate: 2 * succeeded,
    ...figures,
  } as SampleWindow;
}

/** What is enough after two windows. */
function after(...windows: readonly SampleWindow[]): number | undefined {
  const filling = new Filling();
  return windows.map((window) => filling.onWindow(window)).at(-1);
}

test('three times as much in flight and no more work: what was in flight before is enough', () => {
  expect(after(windowOf(40, 200), windowOf(120, 210))).toBe(80);
  // The limit is reached meanwhile.
  expect(after(windowOf(40, 200), windowOf(120, 120, { rejected: 500 }))).toBe(80);
});

test.each([
  ['a first window', [windowOf(120, 200)]],
  ['work follows', [windowOf(40, 80), windowOf(120, 230)]],
  ['as much ends as begins', [windowOf(40, 290), windowOf(120, 300)]],
  ['hardly more is in flight', [windowOf(40, 200), windowOf(50, 200)]],
  ['the limit is not far above', [windowOf(40, 200, { limit: 150 }), windowOf(120, 200, { limit: 150 })]],
  ['a handful of answers', [windowOf(40, 12), windowOf(120, 12)]],
  ['something was refused before', [windowOf(40, 200, { rejected: 10 }), windowOf(120, 200)]],
])('%s: nothing is known', (_, windows) => {
  expect(after(...windows)).toBeUndefined();
});
