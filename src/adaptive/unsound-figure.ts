import type { SampleWindow } from './controller.js';

/**
 * The first figure of a window, in words, that is none: a count or a duration below zero or without end. `NaN` is one where
 * a duration was not measured. One such figure in an average would spoil it for good; whoever meets one holds.
 */
export function unsoundFigure(window: SampleWindow): string | undefined {
  const count = COUNTS.find((name) => !isFigure(window[name]));
  const unsound = count ?? DURATIONS.find((name) => !isFigure(window[name]) && !Number.isNaN(window[name]));
  return unsound === undefined ? undefined : `${unsound} ${window[unsound]}: hold`;
}

function isFigure(value: number): boolean {
  return value >= 0 && value < Number.POSITIVE_INFINITY;
}

/** What published rules read. */
const COUNTS = ['succeeded', 'failed', 'overloaded', 'rejected', 'maxInFlight'] as const;
const DURATIONS = ['meanLatency', 'p95'] as const;
