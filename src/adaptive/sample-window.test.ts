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

test('what a checkout holds counts until it comes back, though only its query is timed', () => {
  const clock = { now: 0 };
  const windows: SampleWindow[] = [];
  const onWindow = (window: SampleWindow) => {
    windows.push(window);
    return { limit: 1, reason: '' };
  };
  const { gate } = new Limiter({
    now: () => clock.now,
    adaptive: { initial: 1, controller: { limit: 1, onWindow } },
  });
  const queries = gate.classes.get('query');
  // A quarter of the time in a query, a quarter held all the same, and then nobody has it.
  for (let index = 0; index < 500; index++) {
    const permit = gate.permitForCheckout(queries, 1);
    clock.now += 2;
    gate.recordLatency(queries, 2, 'success');
    clock.now += 2;
    permit.release('success');
    clock.now += 4;
  }
  expect(windows.length).toBeGreaterThan(4);
  for (const { meanInFlight, fullShare } of windows) {
    expect(meanInFlight).toBeCloseTo(0.5, 1);
    expect(fullShare).toBeCloseTo(0.5, 1);
  }
});
