import { expect, test } from 'vitest';
import { resolveAdaptive } from './adaptive-options.js';
import { FixedController } from './fixed.js';
import { Governor } from './governor.js';
import { Limiter } from './limiter.js';
import { windowOf } from './testing/window-of.js';

test('a fixed limit that is resized stays where it was put, whatever else had moved it', () => {
  let now = 0;
  const limiter = new Limiter({ now: () => now, adaptive: { controller: 'fixed', initial: 20 } });
  const work = (ms: number) => {
    for (const end = now + ms; now < end; now += 10) limiter.acquire().release();
    return limiter.limit;
  };
  expect(work(2000)).toBe(20);
  limiter.resize(5);
  expect([work(2000), work(8000)]).toEqual([5, 5]);
  limiter.resize(60);
  expect([work(2000), work(8000)]).toEqual([60, 60]);
  expect(limiter.history().map(({ to }) => to)).toEqual([20, 5, 60]);
});

test('a guard cuts a fixed limit, and it comes back to where it was put', () => {
  const options = { controller: 'fixed', initial: 20, targetLatencyMs: 60, maxChangePerSecond: 2 } as const;
  const governor = new Governor(resolveAdaptive(options, 1000)!, 0, 'fixed');
  let limit = 20;
  const limits = [90, 90, ...Array<number>(20).fill(10)].map((p95) => {
    limit = governor.onWindow(windowOf({ limit, endedAt: 1000, p95, resizedTo: 40 })).limit;
    return limit;
  });
  expect([...limits.slice(0, 2), limits.at(-1)]).toEqual([16, 13, 40]);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'a resize to %d, which is none, moves no fixed limit',
  (to) => {
    expect(new FixedController(7).onWindow(windowOf({ resizedTo: to })).limit).toBe(7);
  },
);
