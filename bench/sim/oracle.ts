import type { Arrival } from './arrivals.js';
import { fixed, scheduled } from './contenders.js';
import { type Run, runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';

export interface Oracle {
  readonly limits: readonly number[];
  readonly run: Run;
}

const GRID = [1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 64, 96, 128, 200];
/** Of two limits with the same goodput to this share, the lower is better: it has the lower latency. */
const SAME = 0.003;

/** The best fixed limit of each phase, found by trying, and the run of somebody who sets it at every change. */
export function oracleOf(scenario: Scenario, arrivals: readonly Arrival[]): Oracle {
  const grid = scenario.grid ?? GRID;
  const goodputs = grid.map((limit) => goodputByPhase(runScenario(scenario, arrivals, fixed(limit))));
  const limits = scenario.phases.map((_, phase) => {
    const best = Math.max(...goodputs.map((byPhase) => byPhase[phase]!));
    return grid[goodputs.findIndex((byPhase) => byPhase[phase]! >= best * (1 - SAME))]!;
  });
  return { limits, run: runScenario(scenario, arrivals, scheduled(limits, 'best fixed')) };
}

export function goodputByPhase({ tally }: Run): number[] {
  const sums = tally.latencies.map(() => 0);
  tally.bins.forEach((bin, index) => {
    sums[tally.phaseOf(index * tally.binMs)]! += bin.ok;
  });
  return sums;
}
