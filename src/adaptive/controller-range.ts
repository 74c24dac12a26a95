import { checkOptions, complaint, type OptionCheck } from '../core/option-checks.js';

/** Where a controller begins, and between what it moves. All are permits, from 1. */
export interface ControllerRange {
  /** @default 20, or the nearest that `min` and `max` allow */
  readonly initial?: number | undefined;
  /** @default 1 */
  readonly min?: number | undefined;
  /** @default 1000 */
  readonly max?: number | undefined;
}

export interface ResolvedRange {
  readonly initial: number;
  readonly min: number;
  readonly max: number;
}

/**
 * @param more checks of the options that a controller has beside its range
 * @throws TypeError | RangeError for an unknown option, what is no number of permits, a min above the max, or an initial
 * outside of them
 */
export function resolveRange(
  owner: string,
  options: ControllerRange,
  more: Readonly<Record<string, OptionCheck>> = {},
): ResolvedRange {
  checkOptions(owner, options, { ...RANGE_CHECKS, ...more });
  const { min = 1, max = Math.max(1000, min) } = options;
  if (min > max) throw new RangeError(complaint('min', `at most max (${max})`, min));
  const initial = options.initial ?? Math.min(Math.max(20, min), max);
  if (initial < min || initial > max) {
    throw new RangeError(complaint('initial', `from min (${min}) to max (${max})`, initial));
  }
  return { initial, min, max };
}

export const permits: OptionCheck = (option, value) => {
  const rule = 'a number of permits >= 1';
  if (typeof value !== 'number') throw new TypeError(complaint(option, rule, value));
  if (!(value >= 1 && value < Number.POSITIVE_INFINITY)) throw new RangeError(complaint(option, rule, value));
};

const RANGE_CHECKS: Readonly<Record<keyof ControllerRange, OptionCheck>> = {
  initial: permits,
  min: permits,
  max: permits,
};

export function clamp(value: number, min: number, max: number): number {
  return value < min ? min : Math.min(value, max);
}
