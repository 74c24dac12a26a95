import type { LimitDecision, SampleWindow } from './controller.js';
import { percent, refusedShare } from './window-figures.js';

/**
 * Arrivals that come in clumps, as those of requests that send many operations at once. A clump fills the limit and is
 * refused in part, though no line lasts; what it leaves unused until the next one comes is no room to be taken away.
 *
 * Who arrives by chance finds the limit full as often as it is full (Wolff 1982, PASTA). Where far more is refused than
 * that, it came in clumps. Where nobody tells how long it was full, far more free permits than {@link freeByChance} tell.
 */
export function isClumped(window: SampleWindow): boolean {
  const { fullShare } = window;
  const refused = refusedShare(window);
  if (fullShare !== undefined) return fullShare < CLUMPED * refused;
  return refused > 0 && freePermits(window) > FAR_MORE * freeByChance(refused) + 2;
}

function freePermits({ limit, meanInFlight }: SampleWindow): number {
  return limit - meanInFlight;
}

/**
 * Permits that are free on average where arrivals come by chance, one at a time: j of them for a share of the time that
 * falls with (1 - refused)^j, as in any queue with a limit that is mostly full.
 */
function freeByChance(refused: number): number {
  return (1 - refused) / refused;
}

/**
 * How many come at once, by how many times more permits are free than where they come one at a time; 1 without clumps.
 *
 * @param refused share of what was offered, of late
 */
export function comingAtOnce(window: SampleWindow, refused: number): number {
  return isClumped(window) ? 1 + freePermits(window) / freeByChance(Math.min(refused, 0.95)) : 1;
}

/** The next limit where clumps are refused while most permits are free most of the time; nothing elsewhere. */
export function roomForClumps(window: SampleWindow, rest: number): LimitDecision | undefined {
  const { limit, meanInFlight } = window;
  if (window.rejected === 0 || !isClumped(window) || !(meanInFlight < MOSTLY_FREE * limit)) return undefined;
  const refused = refusedShare(window);
  // Were all clumps of one size, they would fit at the limit over the share that got in.
  const factor = Math.min(MOST_GROWTH, (1 - refused) ** -2);
  return {
    limit: rest * factor,
    reason: `${percent(refused)} refused in clumps, ${meanInFlight.toFixed(1)} in flight on average: up`,
  };
}

/** How much higher a limit must be than what shall be in flight on average: what clumps leave unused in between. */
export function unusedBetweenClumps(window: SampleWindow): number {
  return isClumped(window) ? freePermits(window) : 0;
}

/** Share of the time that the limit is full, over the share that is refused. */
const CLUMPED = 0.6;
const FAR_MORE = 2.5;
/** Share of the limit in flight on average below which nothing waits for long. */
const MOSTLY_FREE = 0.5;
const MOST_GROWTH = 2;
