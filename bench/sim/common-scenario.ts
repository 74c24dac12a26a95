import type { OperationKind } from './scenario.js';

/** 16 side by side, 10 ms each: 1,600 operations a second. */
export const C = 1600;
export const query: readonly OperationKind[] = [{ name: 'query', demandMs: 10, cv: 1 }];
export const base = { kinds: query, durationMs: 60_000 };
export const healthy = { at: 0, rate: 0.7 * C, capacity: 16 };
/** Limits of each process to look for the best among, where there are several. */
export const fleet = [1, 2, 3, 4, 6, 8, 10, 12, 16, 24];

export function s(seconds: number): number {
  return seconds * 1000;
}
