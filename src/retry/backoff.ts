import { LONGEST_TIMER_MS } from '../core/option-checks.js';

export interface Backoff {
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly random: () => number;
}

/**
 * The wait after an attempt, in milliseconds: exponential backoff with full jitter, on top of what the rejection asks for.
 *
 *     retryAfterMs + random * min(maxDelayMs, baseDelayMs * 2^(attempt - 1))
 *
 * On top, and not the greater of the two: then all would come back in the same moment whenever `retryAfterMs` is greater.
 *
 * @param attempt the one that was rejected; 1 is the first
 * @param retryAfterMs what is no number above 0 counts as 0
 */
export function backoffMs(attempt: number, retryAfterMs: number, backoff: Backoff): number {
  const { baseDelayMs, maxDelayMs, random } = backoff;
  const floor = Math.max(0, retryAfterMs || 0);
  const window = Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(attempt - 1, MOST_DOUBLINGS));
  return Math.min(LONGEST_TIMER_MS, floor + share(random()) * window);
}

/** A random source that breaks its promise must not turn the wait into none, or into no number. */
function share(draw: number): number {
  return draw >= 0 && draw <= 1 ? draw : 1;
}

/** From 1 ms to more than a timer can wait; without a bound, 0 times infinity would be no number. */
const MOST_DOUBLINGS = 31;
