import type { Trial } from './trials.js';

/** Least goodput and most p99 of a scenario, whatever the seed, where they differ from the common ones. */
const RANGES: Readonly<Record<string, readonly [goodput: number, p99: number]>> = {
  'cold-start': [0.93, 1.5],
  big: [0.88, 1.3],
  'capacity-halved': [0.95, 1.8],
  'lock-storm': [0.94, 3],
  'storm-comes': [0.87, 2],
  'slow-2s': [0.82, 1.8],
  'slow-10s': [0.85, 2],
  'steady-95': [0.95, 1.8],
  'mix-untold': [0.9, 1.5],
  'fleet-8': [0.94, 1.5],
  'fleet-10': [0.92, 1.6],
  'fan-out-fast': [0.93, 1.4],
  'c-pages': [0.95, 1.5],
  'c-reports': [0.88, 1.4],
  'h-fleet': [0.94, 1.6],
  'h-overload': [0.92, 1.6],
  'h-third': [0.95, 2.2],
  'h-storm': [0.93, 1.6],
};
const COMMON = [0.95, 1.4] as const;

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
