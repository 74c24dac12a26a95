import { expect, test } from 'vitest';
import { StallMonitor, sharedStallMonitor } from './stall-monitor.js';

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
