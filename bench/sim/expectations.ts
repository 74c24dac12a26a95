import type { Trial } from './trials.js';

/** Least goodput and most p99 of a scenario, whatever the seed, where they differ from the common ones. */
const RANGES: Readonly<Record<string, readonly [goodput: number, p99: number]>> = {};
const COMMON = [0.93, 1.7] as const;

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
