import { type ControllerName, Limiter } from 'floodgate';
import type { Contender } from './run-scenario.js';

/** floodgate as users get it: no option is set but what a scenario says. */
export const ours: Contender = {
  name: 'floodgate',
  make: (options, stalls, { bounds }) => new Limiter({ ...options, adaptive: { ...bounds } }, stalls),
};

/** The published rules in the same surroundings, with bounds that suit them: from 4 to 200 (1 to 64 in a fleet), from 20. */
function published(name: ControllerName): Contender {
  return {
    name,
    make: (options, stalls, { bounds, processes = 1 }) => {
      const range = processes > 1 ? { min: 1, max: 64 } : { min: 4, max: 200 };
      return new Limiter({ ...options, adaptive: { controller: name, ...range, ...bounds } }, stalls);
    },
  };
}

export const others: readonly Contender[] = (['aimd', 'vegas', 'gradient2', 'threshold'] as const).map(
  published,
);

export function fixed(limit: number, name = `fixed ${limit}`): Contender {
  return { name, make: (options) => new Limiter({ ...options, maxConcurrentOps: limit }) };
}

/** A fixed limit that somebody who knows the future changes at every phase, times a factor. */
export function scheduled(limits: readonly number[], name: string): Contender {
  return { name, make: (options) => new Limiter(options), limitInPhase: (phase) => limits[phase]! };
}
