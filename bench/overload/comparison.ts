import type { Measured } from './under-load.js';

export interface Row {
  readonly contender: string;
  readonly measured: Measured;
}

/** One condition (a load, a phase of a scenario) and how each contender did in it. */
export interface Comparison {
  readonly condition: string;
  readonly best: Measured;
  readonly adaptive: Measured;
  readonly rows: readonly Row[];
}

/** Of the adaptive limit to the best fixed one. */
export interface Ratios {
  readonly goodput: number;
  readonly p99: number;
}

export function ratiosOf(measured: Measured, best: Measured): Ratios {
  return {
    goodput: measured.goodput / best.goodput,
    p99: (measured.p99 ?? Number.NaN) / (best.p99 ?? Number.NaN),
  };
}

export const GOALS: Ratios = { goodput: 0.95, p99: 1.3 };

export function meetsGoals({ goodput, p99 }: Ratios): boolean {
  return goodput >= GOALS.goodput && p99 <= GOALS.p99;
}
