import { clamp } from './controller-range.js';

/**
 * By which share of a knee the limit lies above it: c / sqrt(knee), with c = clamp(0.13 / refused, 1, 4) 0.6.
 *
 * @param refused share of what was offered
 */
export function slackAt(knee: number, refused: number): number {
  const more = clamp(0.13 / Math.max(refused, 1e-6), 1, 4);
  return (more * 0.6) / Math.sqrt(Math.max(1, knee));
}
