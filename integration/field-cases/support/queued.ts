import type pg from 'pg';

/**
 * How many checkouts wait for a connection that somebody else uses. A checkout that finds an idle one counts in
 * `waitingCount` too, for the rest of its tick.
 */
export function queued({ waitingCount, idleCount }: pg.Pool): number {
  return Math.max(0, waitingCount - idleCount);
}
