import type { SampleWindow } from './controller.js';

/** Share of what was offered that the limit refused, 0 to 1. */
export function refusedShare({ rejected, admitted }: SampleWindow): number {
  const offered = rejected + admitted;
  return offered === 0 ? 0 : rejected / offered;
}

/** Answers that tell something of the database; the caller's own aborts don't. */
export function answersIn({
  succeeded,
  failed,
  overloaded,
}: Pick<SampleWindow, 'succeeded' | 'failed' | 'overloaded'>): number {
  return succeeded + failed + overloaded;
}

/** Nothing is refused, and far more has begun than has ended (or the reverse): what is in flight says nothing of the load. */
export function isFilling({ rejected, admitted, ...ended }: SampleWindow): boolean {
  const answers = answersIn(ended) + ended.ignored;
  return rejected === 0 && Math.abs(admitted - answers) > 0.1 * answers + 3 * Math.sqrt(answers);
}

/** Nearly all permits were out all the time: the limit alone bounded the work. */
export function isFull({ meanInFlight, limit }: SampleWindow): boolean {
  return meanInFlight > FULL * limit;
}

/** What was admitted at a higher limit is still there. */
export function isDraining({ meanInFlight, limit }: SampleWindow): boolean {
  return meanInFlight > DRAINED * limit + 1;
}

/** Share of the answers that met overload, 0 to 1. `NaN` without answers. */
export function overloadShare(window: SampleWindow): number {
  return window.overloaded / answersIn(window);
}

/** Most answers met overload: whatever else a window shows, this comes first. */
export function isOutage(window: SampleWindow): boolean {
  return window.overloaded >= FEWEST_OVERLOADS && overloadShare(window) > OUTAGE;
}

/**
 * How long a limit takes to show: the mean latency, in milliseconds, or that of exponential times with this 95th percentile.
 * Where few operations are far longer than the rest, a higher limit lets the others in first, and seems to yield more.
 */
export function longAnswers({ meanLatency, p95 }: SampleWindow): number {
  return p95 > 3 * meanLatency ? p95 / 3 : meanLatency;
}

/** A mean in which `now` weighs as much as `gain`, 0 to 1; the first figure, with `NaN` before it, counts whole. */
export function smoothed(before: number, now: number, gain: number): number {
  return Number.isNaN(before) ? now : before + (now - before) * gain;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** In flight over the limit, on average. */
const FULL = 0.9;
const DRAINED = 1.1;
/** Fewer may be chance. */
export const FEWEST_OVERLOADS = 3;
/** Share of the answers. */
export const OUTAGE = 0.5;
