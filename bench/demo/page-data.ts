import type { ContenderResult, GameDayResult } from './game-day-result.js';
import { workload } from './workload.js';

/** What the page's script draws, by time: rates per second, times in milliseconds, `null` where there is nothing. */
export function pageData({ capacity, plan, results }: GameDayResult) {
  return {
    capacity,
    deadlineMs: workload.deadlineMs,
    loadSeconds: plan.seconds,
    runs: results.map((result) => series(result)),
  };
}

function series({ recorder, endedAtMs }: ContenderResult) {
  const { sliceMs } = recorder;
  // The last slice was cut off: its rates would be too low.
  const slices = recorder.slices.slice(0, Math.floor(endedAtMs / sliceMs));
  const rate = (count: number) => Math.round((count * 1000) / sliceMs);
  return {
    seconds: slices.map((_, index) => ((index + 0.5) * sliceMs) / 1000),
    offered: slices.map((slice) => rate(slice.offered)),
    inTime: slices.map((slice) => rate(slice.inTime)),
    late: slices.map((slice) => rate(slice.late) || null),
    rejected: slices.map((slice) => rate(slice.rejected) || null),
    p50: slices.map((slice) => rounded(slice.latency.percentile(0.5))),
    p99: slices.map((slice) => rounded(slice.latency.percentile(0.99))),
    inFlight: slices.map((slice) => rounded(slice.meanInFlight)),
    limit: slices.map((slice) => slice.limit ?? null),
  };
}

/** A logarithmic scale knows no zero. */
function rounded(value: number | undefined): number | null {
  return value === undefined || value <= 0 ? null : Number(value.toPrecision(4));
}
