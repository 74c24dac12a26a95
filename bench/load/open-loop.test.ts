import { expect, test } from 'vitest';
import { evenArrivals, poissonArrivals } from './arrivals.js';
import type { LoadFigures } from './load-figures.js';
import { type OpenLoopOptions, type OpenLoopResult, openLoop } from './open-loop.js';
import { VirtualClock } from './virtual-clock.js';
import { Refused, VirtualServer, type VirtualServerOptions } from './virtual-server.js';

/** 10 at a time, 20 ms each: 500 a second. */
function load(
  options: Partial<OpenLoopOptions>,
  server: Partial<VirtualServerOptions> = {},
): Promise<OpenLoopResult> {
  const clock = new VirtualClock();
  const { call } = new VirtualServer({ clock, width: 10, serviceMs: 20, ...server });
  return openLoop({
    arrivals: evenArrivals(1500),
    seconds: 5,
    deadlineMs: 1000,
    settleMs: 60_000,
    isRejection: (error) => error instanceof Refused,
    call,
    clock,
    ...options,
  });
}

test('a load that fits is answered in time, after the service time and the timer tick', async () => {
  const { recorder, left } = await load({ arrivals: evenArrivals(250) });
  const all = everything(recorder);
  expect(all).toMatchObject({ offered: 1250, inTime: 1250, late: 0, timedOut: 0, rejected: 0 });
  expect(all.latency.percentile(1)).toBeLessThan(21.5);
  expect(left).toBe(0);
});

test('arrivals do not wait for answers: a server that never answers is offered the whole load', async () => {
  const { recorder, backlog, left, settledMs } = await load({
    call: () => new Promise(() => {}),
    settleMs: 3000,
  });
  expect(everything(recorder)).toMatchObject({ offered: 7500, timedOut: 7500, inTime: 0, late: 0 });
  expect([backlog, left, settledMs]).toEqual([7500, 7500, 3000]);
});

test('three times the capacity without a limit: the queue passes the deadline, and all work is for nobody', async () => {
  const { recorder, backlog, left, settledMs } = await load({});
  expect(recorder.between(2000, 5000)).toMatchObject({ inTime: 0 });
  expect(recorder.between(2000, 5000).late).toBeCloseTo(1500, -1);
  expect(backlog / 5000).toBeCloseTo(1, 1);
  expect(settledMs / 10_000).toBeCloseTo(1, 1);
  expect(left).toBe(0);
  const all = everything(recorder);
  expect(all.inTime + all.timedOut).toBe(7500);
  expect(all.late).toBe(all.timedOut);
});

test('three times the capacity with a limit: the capacity is answered in time, the rest refused at once', async () => {
  const { recorder, backlog } = await load({}, { refuseAbove: 20 });
  const all = everything(recorder);
  expect(all.inTime / 2500).toBeCloseTo(1, 1);
  expect(all.inTime + all.rejected).toBe(7500);
  expect(all.latency.percentile(1)).toBeLessThan(42);
  expect(all.rejectTime.percentile(1)).toBeLessThan(1.1);
  expect(all.maxInFlight).toBeLessThanOrEqual(20);
  expect(backlog).toBeLessThanOrEqual(20);
});

test('a generator that is held up counts the delay as latency of the calls it was late with', async () => {
  const clock = new VirtualClock();
  const heldUp = {
    now: () => clock.now(),
    pause: (ms: number) => clock.pause(clock.now() === 1000 ? 500 : ms),
  };
  const { call } = new VirtualServer({ clock, width: 1000, serviceMs: 20 });
  const { recorder } = await load({ arrivals: evenArrivals(1000), clock: heldUp, call });
  const all = everything(recorder);
  expect(all.offered).toBe(5000);
  expect(all.lag.percentile(1)).toBeGreaterThan(490);
  // 500 of 5000 calls were up to 500 ms late: the tail shows them.
  expect(all.latency.percentile(0.91)).toBeGreaterThan(40);
  expect(all.latency.percentile(0.99)).toBeGreaterThan(450);
});

test('every call is exactly one of: in time, rejected, failed, timed out', async () => {
  const clock = new VirtualClock();
  const server = new VirtualServer({ clock, width: 10, serviceMs: 20, refuseAbove: 700 });
  let calls = 0;
  const call = () => {
    calls++;
    if (calls % 10 === 0) throw new Error('thrown, not rejected');
    return server.call();
  };
  const { recorder } = await load({ arrivals: poissonArrivals(1500, 3), clock, call });
  const all = everything(recorder);
  expect(all.failed).toBe(Math.floor(all.offered / 10));
  expect(all.timedOut).toBeGreaterThan(0);
  expect(all.rejected).toBeGreaterThan(0);
  expect(all.inTime + all.rejected + all.failed + all.timedOut).toBe(all.offered);
  expect(all.offered).toBe(calls);
});

test('a signal ends the load at once, and nothing is watched afterwards', async () => {
  const stop = new AbortController();
  const { recorder, settledMs } = await load({
    signal: stop.signal,
    onTick: ({ elapsedMs }) => elapsedMs >= 1000 && stop.abort(),
  });
  expect(everything(recorder).offered / 1500).toBeCloseTo(1, 2);
  expect(settledMs).toBe(0);
});

test('the limit in force is recorded along', async () => {
  let limit = 40;
  const { recorder } = await load({
    limit: () => limit,
    onTick: ({ elapsedMs }) => {
      if (elapsedMs > 2000) limit = 30;
    },
    seconds: 4,
  });
  expect(recorder.slices.slice(0, 4).map((slice) => slice.limit)).toEqual([40, 40, 30, 30]);
});

function everything(recorder: OpenLoopResult['recorder']): LoadFigures {
  return recorder.between(0, Number.POSITIVE_INFINITY);
}
