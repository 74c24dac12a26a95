import { clamp, type ResolvedRange } from './controller-range.js';

/**
 * Where a controller goes on from: what it decided, or the window's limit where somebody else has moved that (a guard,
 * `resize`, a governor's bound), which shows in a difference that no rounding makes. One that went on from its own would
 * wind up behind the limit that holds.
 */
export function limitInForce(limit: number, decided: number, { min, max }: ResolvedRange): number {
  const moved = limit >= 1 && limit < Number.POSITIVE_INFINITY && Math.abs(limit - decided) >= 1;
  return moved ? clamp(limit, min, max) : decided;
}
