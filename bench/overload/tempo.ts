/** How long everything takes, in seconds; adaptive control gets its settling time on top, and it is told apart. */
export interface Tempo {
  /** Times the capacity. */
  readonly loads: readonly number[];
  readonly capacitySeconds: number;
  /** Each limit of a sweep, each time it is its turn. */
  readonly sweepSeconds: number;
  readonly sweepRounds: number;
  readonly settleSeconds: number;
  /** Each contender; twice as long for the two that the goals compare. */
  readonly seconds: number;
  /** How often the two are measured again when something else on the machine disturbed them. */
  readonly repeats: number;
  /** Before a bare client is looked at: it takes a while to fill. */
  readonly fillSeconds: number;
  /** Each phase of a scenario, once it has settled. */
  readonly phaseSeconds: number;
}

export const FULL: Tempo = {
  loads: [0.5, 1, 1.5, 3, 10],
  capacitySeconds: 2.5,
  sweepSeconds: 0.6,
  sweepRounds: 2,
  settleSeconds: 4,
  seconds: 1.5,
  repeats: 1,
  fillSeconds: 2.5,
  phaseSeconds: 3,
};

export const QUICK: Tempo = {
  loads: [3],
  capacitySeconds: 1.5,
  sweepSeconds: 0.5,
  sweepRounds: 1,
  settleSeconds: 3,
  seconds: 1,
  repeats: 0,
  fillSeconds: 1.5,
  phaseSeconds: 2,
};

/** After a change of the load or of the limit, before figures count. */
export const WARM_UP_SECONDS = 0.3;
