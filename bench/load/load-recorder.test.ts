import { expect, test } from 'vitest';
import { LoadRecorder } from './load-recorder.js';

test('an arrival counts where it was scheduled, an answer where it came', () => {
  const recorder = new LoadRecorder(1000);
  recorder.offered(900, 1100);
  recorder.answered(900, 2300, false);
  expect(recorder.slices.map((slice) => slice.offered)).toEqual([1, 0, 0]);
  expect(recorder.slices.map((slice) => slice.late)).toEqual([0, 0, 1]);
  expect(recorder.slices[2]!.latency.percentile(1)! / 1400).toBeCloseTo(1, 1);
  expect(recorder.slices[0]!.lag.percentile(1)! / 200).toBeCloseTo(1, 1);
});

test('a stretch adds up the slices that begin in it', () => {
  const recorder = new LoadRecorder(500);
  for (const at of [0, 499, 500, 999, 1000, 1499]) recorder.answered(at, at, true);
  expect(recorder.between(0, 1000).inTime).toBe(4);
  expect(recorder.between(500, 1500).inTime).toBe(4);
  expect(recorder.between(0, Number.POSITIVE_INFINITY).inTime).toBe(6);
});

test('in flight is averaged over samples, its peak kept, and the limit is the last one seen', () => {
  const recorder = new LoadRecorder(1000);
  recorder.sample(0, 10, 40);
  recorder.sample(500, 30, 40);
  recorder.sample(1500, 5, 38);
  const all = recorder.between(0, 2000);
  expect(all.meanInFlight).toBe(15);
  expect(all.maxInFlight).toBe(30);
  expect(all.limit).toBe(38);
});

test('a stretch in which nothing happened has no percentiles and no average', () => {
  const nothing = new LoadRecorder().between(0, 1000);
  expect(nothing.offered).toBe(0);
  expect(nothing.latency.percentile(0.5)).toBeUndefined();
  expect(nothing.meanInFlight).toBeUndefined();
});
