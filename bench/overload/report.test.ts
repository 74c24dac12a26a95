import { expect, test } from 'vitest';
import { LoadRecorder } from '../load/load-recorder.js';
import type { Comparison } from './comparison.js';
import { goalLines, sectionText } from './report.js';
import type { Section } from './sections.js';
import { Measured } from './under-load.js';

/** A second of load: so many answers in time, each after so long, and 100 rejections. */
function measured(answers: number, latencyMs: number, ...limits: number[]): Measured {
  const recorder = new LoadRecorder();
  for (let count = 0; count < answers; count++) {
    recorder.offered(0, 1);
    recorder.answered(0, latencyMs, true);
  }
  for (let count = 0; count < 100; count++) {
    recorder.offered(0, 1);
    recorder.rejected(0, 1);
  }
  const result = new Measured();
  result.figures.add(recorder.between(0, 1000));
  result.seconds = 1;
  for (const limit of limits) result.sawLimit(limit);
  return result;
}

function section(adaptive: Measured): Section {
  const best = measured(200, 20, 10);
  const comparison: Comparison = {
    condition: '3x',
    best,
    adaptive,
    rows: [
      { contender: 'best fixed: 10', measured: best },
      { contender: 'adaptive', measured: adaptive },
    ],
  };
  const comparisons = [comparison];
  return {
    kind: 'server',
    title: 'A server',
    notes: ['A note.'],
    conditions: 'load',
    comparisons,
    judged: comparisons,
  };
}

test('a goal is met at 0.95 of the goodput and 1.3 of the p99', () => {
  expect(goalLines([section(measured(190, 20, 9, 14))])).toEqual([
    "Goals: goodput at least 0.95 and p99 at most 1.3 of the best fixed limit's. Met in 1 of 1.",
  ]);
});

test('what misses is named with its figures', () => {
  const lines = goalLines([section(measured(189, 20)), section(measured(200, 40))]);
  expect(lines.join('\n')).toContain('Met in 0 of 2:');
  expect(lines).toContain('- MISSED: A server, 3x: goodput 0.94, p99 1.00');
  expect(lines).toContain('- MISSED: A server, 3x: goodput 1.00, p99 2.00');
});

test('the table has ratios to the best fixed limit, and the range of a limit that moved', () => {
  const text = sectionText(section(measured(190, 40, 9, 14)));
  expect(text).toMatch(/^A note\.\n\n\| load/);
  expect(text).toMatch(/\| 3x +\| best fixed: 10 +\| 10 +\| 200\/s +\| 1\.00 +\| 20 ms +\| 1\.00 +\| 33 % /);
  expect(text).toMatch(/\| adaptive +\| 9 to 14 +\| 190\/s +\| 0\.95 +\| 40 ms +\| 2\.00 +\| 34 % /);
});

test('two stretches are one: rates by the sum of their times', () => {
  const sum = measured(200, 20, 10);
  sum.add(measured(100, 20, 12));
  expect([sum.goodput, sum.leastLimit, sum.mostLimit]).toEqual([150, 10, 12]);
  expect(sum.share('rejected')).toBe(0.4);
  expect(sum.lagP99).toBeCloseTo(1, 1);
});
