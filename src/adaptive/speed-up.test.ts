import { expect, test } from 'vitest';
import type { SampleWindow } from './controller.js';
import { ResponseNoise } from './response-noise.js';
import { SpeedUp } from './speed-up.js';
import { windowOf } from './testing/window-of.js';

/** The limit is full. */
function fullOf(succeeded: number, figures: Partial<SampleWindow> = {}): SampleWindow {
  return windowOf({ succeeded, meanInFlight: 20, ...figures });
}

/** Numbers of the windows at which it says so. */
function saidAt(windows: readonly SampleWindow[]): number[] {
  const speedUp = new SpeedUp(new ResponseNoise());
  return windows.flatMap((window, index) => (speedUp.onWindow(window) ? [index] : []));
}

const usual = Array.from({ length: 10 }, (_, index) => fullOf(100 + (index % 2) * 6));

test('half as much again at the same limit is a speed-up, once', () => {
  expect(saidAt([...usual, ...usual.map(() => fullOf(150))])).toEqual([10]);
});

test('two fifths more are one only where that can be no chance', () => {
  const times = (factor: number, answers: number) => usual.map(() => fullOf(answers * factor));
  expect(saidAt([...times(1, 1000), ...times(1.4, 1000)])).toEqual([10]);
  expect(saidAt([...times(1, 40), ...times(1.4, 40)])).toEqual([]);
});

test.each([
  ['a tenth more', usual.map(() => fullOf(113))],
  ['less', usual.map(() => fullOf(50))],
  ['more at a higher limit', usual.map(() => fullOf(150, { limit: 30, meanInFlight: 30 }))],
  ['more, where the load bounds it', usual.map(() => fullOf(150, { meanInFlight: 12 }))],
  ['one window that is better by chance', [fullOf(120), ...usual]],
])('%s is none', (_, windows) => {
  expect(saidAt([...usual, ...windows])).toEqual([]);
});

test('a load that rises to the limit is none', () => {
  const rising = [20, 40, 60, 80, 100].map((succeeded) => fullOf(succeeded, { meanInFlight: succeeded / 5 }));
  expect(saidAt([...rising, ...usual])).toEqual([]);
});
