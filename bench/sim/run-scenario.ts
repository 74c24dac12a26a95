import type { Limiter, LimiterOptions, StallSource } from 'floodgate';
import { type Arrival, phaseAt } from './arrivals.js';
import type { Scenario } from './scenario.js';
import { Tally } from './tally.js';
import { World } from './world.js';

export interface Run {
  readonly tally: Tally;
  /** Mean limit of the processes, every 100 ms. */
  readonly limits: readonly number[];
  /** Goodput of each process, for fairness: successes. */
  readonly shares: readonly number[];
  /** Per process and step, for the fairness of limits. */
  readonly world: World;
}

/** Makes limiters for one contender. */
export interface Contender {
  readonly name: string;
  make(options: LimiterOptions, stalls: StallSource | undefined, scenario: Scenario): Limiter;
  /** For contenders that are told: what the limit shall be in the phase of this index. */
  readonly limitInPhase?: ((phase: number) => number) | undefined;
}

export function runScenario(scenario: Scenario, arrivals: readonly Arrival[], contender: Contender): Run {
  const starts = scenario.phases.map(({ at }) => at);
  const tally = new Tally(scenario.durationMs, starts);
  const world = new World(scenario, tally, (options, stalls) => contender.make(options, stalls, scenario));
  const limits: number[] = [];
  const { limitInPhase } = contender;
  const told = () => {
    if (limitInPhase === undefined) return;
    const limit = limitInPhase(tally.phaseOf(world.now));
    for (const { limiter } of world.processes) limiter.resize(limit);
  };
  told();
  world.run(arrivals, () => {
    told();
    const active = world.processes.slice(0, phaseAt(scenario, world.now).processes);
    limits.push(active.reduce((sum, { limiter }) => sum + limiter.limit, 0) / active.length);
  });
  const shares = world.processes.map(({ limiter }) => limiter.stats().succeeded);
  return { tally, limits, shares, world };
}
