import { strengths, surroundings } from './database-scenarios.js';
import { faults, fleets } from './fault-scenarios.js';
import { loads } from './load-scenarios.js';
import type { Scenario } from './scenario.js';

export { heldOut } from './held-out-scenarios.js';

/** Those that the controllers' figures were chosen on. */
export const tuned: readonly Scenario[] = [...loads, ...strengths, ...surroundings, ...faults, ...fleets];
