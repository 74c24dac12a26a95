import type { SampleWindow } from './controller.js';

/** Share of what was offered that the limit refused, 0 to 1. */
export function refusedShare({ rejected, admitted }: SampleWindow): number {
  const offered = rejected + admitted;
  return offered === 0 ? 0 : rejected / offered;
}

/** Offered operations per millisecond. */
export function offeredRate({ rejected, admitted, startedAt, endedAt }: SampleWindow): number {
  return (rejected + admitted) / (endedAt - startedAt);
}

/**
 * How much of a change of the load shows in the work rate: all of it while next to nothing is refused, nothing once a
 * third is.
 */
export function loadShare(refused: number): number {
  return Math.max(0, 1 - 3 * refused);
}

/** Two windows at one limit as one. */
export function merged(a: SampleWindow, b: SampleWindow): SampleWindow {
  const [aMs, bMs] = [a.endedAt - a.startedAt, b.endedAt - b.startedAt];
  return {
    ...b,
    startedAt: b.endedAt - aMs - bMs,
    succeeded: a.succeeded + b.succeeded,
    admitted: a.admitted + b.admitted,
    rejected: a.rejected + b.rejected,
    workRate: (a.workRate * aMs + b.workRate * bMs) / (aMs + bMs),
  };
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
