import type { Trial } from './trials.js';

/** Least goodput and most p99 of a scenario, whatever the seed, where they differ from the common ones. */
const RANGES: Readonly<Record<string, readonly [goodput: number, p99: number]>> = {
  'steady-95': [0.95, 2],
  'capacity-halved': [0.92, 2.2],
  'lock-storm': [0.88, 4],
  big: [0.85, 1.3],
  'slow-2s': [0.87, 1.8],
  'slow-10s': [0.87, 1.8],
  'lost-answers': [0.85, 1.3],
  'fleet-8': [0.88, 3],
  'fleet-10': [0.84, 3.5],
  'h-fleet': [0.85, 3.5],
};
const COMMON = [0.92, 1.7] as const;

/** Figures that have left their range, in words. */
export function complaintsOf(trials: readonly Trial[]): string[] {
  return trials.flatMap(({ scenario: { name }, seed, contender, scores: { goodput, p99 } }) => {
    const [least, most] = RANGES[name] ?? COMMON;
    const where = `${name}, seed ${seed}, ${contender}:`;
    return [
      ...(goodput >= least ? [] : [`${where} goodput ${goodput.toFixed(3)} is below ${least}`]),
      ...(p99 <= most ? [] : [`${where} p99 ${p99.toFixed(2)}x is above ${most}x`]),
    ];
  });
}
