import { expect, test } from 'vitest';
import { goalLines, sectionText } from '../../bench/overload/report.js';
import { type Section, serverSection } from '../../bench/overload/sections.js';
import { PostgresTarget } from '../../bench/overload/targets/postgres.js';
import { pooled } from '../../bench/overload/targets/postgres-workloads.js';
import type { Tempo } from '../../bench/overload/tempo.js';

/** Too short to judge by, long enough to tell life from death. */
const BRIEF: Tempo = {
  loads: [3],
  capacitySeconds: 1,
  sweepSeconds: 0.25,
  sweepRounds: 1,
  settleSeconds: 2.8,
  seconds: 0.6,
  repeats: 0,
  fillSeconds: 1.4,
  phaseSeconds: 1,
};

test('PostgreSQL at three times its capacity: the bench finds a best limit, and adaptive comes near it by itself', async () => {
  const changes: string[] = [];
  const section: Section = await serverSection(() => PostgresTarget.start(pooled), {
    tempo: BRIEF,
    onProgress: () => {},
    onHistory: ({ limiter }) => void changes.push(...limiter!.history().map(({ reason }) => reason)),
  });
  const [{ best, adaptive, rows }] = section.comparisons as [Section['comparisons'][0]];
  const bare = rows[0]!.measured;
  // 20 connections of some 20 ms each: 1,000 a second at most, and the machine has other work.
  expect(best.goodput).toBeGreaterThan(300);
  expect(best.goodput).toBeLessThan(1000);
  expect(best.leastLimit).toBe(best.mostLimit);
  expect(best.mostLimit).toBeGreaterThanOrEqual(10);
  expect(adaptive.goodput / best.goodput).toBeGreaterThan(0.65);
  expect(adaptive.p99).toBeLessThan(500);
  expect(adaptive.share('timedOut')).toBeLessThan(0.01);
  expect(adaptive.share('rejected')).toBeGreaterThan(0.5);
  expect(adaptive.mostLimit).toBeLessThan(100);
  expect(bare.goodput / adaptive.goodput).toBeLessThan(0.5);
  expect(changes.length).toBeGreaterThan(0);
  expect(sectionText(section)).toMatch(/\| 3x +\| bare client +\| –/);
  expect(goalLines([section])[0]).toMatch(/Met in [01] of 1/);
});
