import { arrivalsOf } from './arrivals.js';
import { oracleOf } from './oracle.js';
import { type Contender, runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { type Scores, scoresOf } from './scores.js';

/** One contender in one scenario, with one seed. */
export interface Trial {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly contender: string;
  readonly scores: Scores;
  /** The best fixed limit of each phase. */
  readonly best: readonly number[];
}

/** Every contender meets the same arrivals; the best fixed limits are found once. */
export function trialsOf(scenario: Scenario, seed: number, contenders: readonly Contender[]): Trial[] {
  const arrivals = arrivalsOf(scenario, seed);
  const oracle = oracleOf(scenario, arrivals);
  return contenders.map((contender) => {
    const scores = scoresOf(scenario, runScenario(scenario, arrivals, contender), oracle);
    return { scenario, seed, contender: contender.name, scores, best: oracle.limits };
  });
}
