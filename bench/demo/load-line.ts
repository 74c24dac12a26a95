import type { OpenLoopProgress } from '../load/open-loop.js';
import { count, duration, percent, perSecond } from './format.js';

/** The last second of a load, in a line; after its end, what is left of it. */
export function loadLine({ recorder, elapsedMs, running }: OpenLoopProgress, loadMs: number): string[] {
  if (elapsedMs >= loadMs + END_MS)
    return [
      `the load ended ${duration(elapsedMs - loadMs)} ago`,
      `${count(running)} queries are still queued`,
    ];
  // Whole slices only: the running one is not full yet.
  const to = Math.floor(Math.min(elapsedMs, loadMs) / recorder.sliceMs) * recorder.sliceMs;
  const from = Math.max(0, to - 1000);
  const seconds = (to - from) / 1000;
  if (seconds === 0) return [];
  const last = recorder.between(from, to);
  const rejected = last.offered === 0 ? 0 : Math.min(1, last.rejected / last.offered);
  return [
    `goodput ${perSecond(last.inTime / seconds).padStart(6)}`,
    `p99 ${duration(last.latency.percentile(0.99)).padStart(6)}`,
    `rejected ${percent(rejected).padStart(4)}`,
    `in flight ${count(running).padStart(6)}`,
    ...(last.limit === undefined ? [] : [`limit ${count(last.limit).padStart(4)}`]),
    `offered ${perSecond(last.offered / seconds).padStart(7)}`,
  ];
}

/** What is left for less than this is no backlog, but the last calls on their way. */
const END_MS = 500;
