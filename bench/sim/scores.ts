import { phaseAt } from './arrivals.js';
import type { Oracle } from './oracle.js';
import type { Run } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { LatencyCounts } from './tally.js';

/** How a contender did in one scenario, against the best fixed limit of each phase. Shares and ratios; times in seconds. */
export interface Scores {
  readonly goodput: number;
  readonly p99: number;
  /** Longest time after a change until two seconds' goodput is 0.95 of the best. */
  readonly convergence: number;
  /** Standard deviation over mean of the limit in the last third. */
  readonly oscillation: number;
  /** Refused share while less than 0.6 of the capacity is asked for; `NaN` if it never is. */
  readonly falseRejects: number;
  /** After the fault, until one second's goodput is 0.9 of the best; `NaN` without a fault. */
  readonly recovery: number;
  /** Jain's index of the processes' successes; `NaN` for one process. */
  readonly fairness: number;
}

export function scoresOf(scenario: Scenario, run: Run, oracle: Oracle): Scores {
  const phases = scenario.phases.map(({ at }) => phaseAt(scenario, at));
  const good = (of: Run) =>
    of.tally.bins.reduce((sum, bin, index) => {
      return phases[of.tally.phaseOf(index * of.tally.binMs)]!.unscored ? sum : sum + bin.ok;
    }, 0);
  const starts = phases.filter(({ unscored }) => !unscored).map(({ at }) => at);
  return {
    goodput: good(run) / good(oracle.run),
    p99: p99Of(run, phases) / p99Of(oracle.run, phases),
    convergence: Math.max(...starts.map((at) => secondsUntil(run, oracle, at, 4, 0.95))),
    oscillation: oscillationOf(run.limits.slice(Math.floor((run.limits.length * 2) / 3))),
    falseRejects: falseRejectsOf(scenario, run),
    recovery:
      scenario.faultEndsAt === undefined
        ? Number.NaN
        : secondsUntil(run, oracle, scenario.faultEndsAt, 2, 0.9),
    fairness: jain(run.shares.slice(0, phaseAt(scenario, 0).processes)),
  };
}

function p99Of({ tally }: Run, phases: readonly { unscored: boolean }[]): number {
  const all = new LatencyCounts();
  tally.latencies.forEach((counts, phase) => {
    if (!phases[phase]!.unscored) all.include(counts);
  });
  return all.percentile(0.99);
}

function secondsUntil(run: Run, oracle: Oracle, from: number, bins: number, share: number): number {
  const { binMs, bins: all } = run.tally;
  const sum = (of: Run, index: number) =>
    of.tally.bins.slice(index, index + bins).reduce((total, bin) => total + bin.ok, 0);
  const first = Math.round(from / binMs);
  for (let index = first; index + bins <= all.length; index++) {
    if (sum(run, index) >= share * sum(oracle.run, index)) return ((index - first) * binMs) / 1000;
  }
  return ((all.length - first) * binMs) / 1000;
}

function oscillationOf(limits: readonly number[]): number {
  const mean = limits.reduce((sum, limit) => sum + limit, 0) / limits.length;
  const variance = limits.reduce((sum, limit) => sum + (limit - mean) ** 2, 0) / limits.length;
  return Math.sqrt(variance) / mean;
}

function falseRejectsOf(scenario: Scenario, { tally }: Run): number {
  let offered = 0;
  let rejected = 0;
  tally.bins.forEach((bin, index) => {
    const phase = phaseAt(scenario, index * tally.binMs);
    const { rate, capacity, answers, lost, slowness } = phase;
    if (typeof rate !== 'number' || typeof capacity !== 'number' || scenario.retries !== undefined) return;
    // What is left of the phase before is not this load's doing.
    if (answers !== 'normal' || lost > 0 || (phase.at > 0 && index * tally.binMs < phase.at + 2000)) return;
    const [first, second] = scenario.kinds;
    const work = first!.demandMs * phase.mix + (second?.demandMs ?? 0) * (1 - phase.mix);
    if ((rate * work * slowness) / 1000 > 0.605 * Math.min(capacity, scenario.pool ?? capacity)) return;
    offered += bin.offered;
    rejected += bin.rejected;
  });
  return offered === 0 ? Number.NaN : rejected / offered;
}

function jain(shares: readonly number[]): number {
  if (shares.length < 2) return Number.NaN;
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
}
