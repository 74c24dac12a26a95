import { afterEach, expect, test, vi } from 'vitest';
import { StallMonitor, sharedStallMonitor } from './stall-monitor.js';

afterEach(() => {
  vi.useRealTimers();
});

test('a beat that comes late is a stall, from when it was due', () => {
  const monitor = new StallMonitor();
  for (const now of [0, 20, 45, 300, 320]) monitor.beat(now);
  expect(monitor.stalledMs(0, 320)).toBe(235);
  expect(monitor.stalledMs(100, 200)).toBe(100);
  expect(monitor.stalledMs(0, 60)).toBe(0);
  expect(monitor.stalledMs(300, 340)).toBe(0);
});

test('a beat that is overdue is a stall already', () => {
  const monitor = new StallMonitor();
  monitor.beat(100);
  expect(monitor.stalledMs(0, 140)).toBe(0);
  expect(monitor.stalledMs(0, 400)).toBe(280);
});

test('remembers the last 32', () => {
  const monitor = new StallMonitor();
  for (let index = 0; index < 40; index++) monitor.add(index * 100, index * 100 + 10);
  expect(monitor.stalledMs(0, 10_000)).toBe(320);
});

test('the process has one heartbeat', () => {
  expect(sharedStallMonitor()).toBe(sharedStallMonitor());
});

test('a heartbeat that is silent for more than a second is asked for anew, and what follows is no stall', () => {
  const restart = vi.fn();
  const monitor = new StallMonitor(restart);
  monitor.beat(0);
  expect([monitor.stalledMs(0, 1000), restart.mock.calls.length]).toEqual([980, 0]);
  expect([monitor.stalledMs(0, 1010), restart.mock.calls.length]).toEqual([990, 1]);
  expect(monitor.stalledMs(1010, 1050)).toBe(0);
  // Still none: a stretch of it is a stall each time, and after a second it is asked for again.
  expect([monitor.stalledMs(1010, 2020), restart.mock.calls.length]).toEqual([990, 2]);
});

test('a heartbeat that was in the future, by a clock of a test, is asked for anew, and its stalls are forgotten', () => {
  const restart = vi.fn();
  const monitor = new StallMonitor(restart);
  for (const now of [6000, 6300]) monitor.beat(now);
  expect([monitor.stalledMs(4900, 5000), restart.mock.calls.length]).toEqual([0, 1]);
  expect(monitor.stalledMs(5000, 5300)).toBe(280);
  for (let now = 5020; now <= 6300; now += 20) monitor.beat(now);
  expect(monitor.stalledMs(6000, 6300)).toBe(0);
});

test('the heartbeat is none of the timers that a test has put in place, which end with the test', async () => {
  vi.useFakeTimers();
  vi.resetModules();
  const { sharedStallMonitor: sharedOfTheTest } = await import('./stall-monitor.js');
  sharedOfTheTest();
  expect(vi.getTimerCount()).toBe(0);
});
