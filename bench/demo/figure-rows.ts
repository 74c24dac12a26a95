import { count, duration, MISSING, percent, perSecond, range } from './format.js';
import type { RunFigures } from './run-figures.js';
import { workload } from './workload.js';

export interface FigureRow {
  readonly label: string;
  readonly value: (run: RunFigures) => string;
  /** Only worth a row when it is so for some run. */
  readonly when?: (run: RunFigures) => boolean;
}

const deadline = `${workload.deadlineMs / 1000} s`;

/** The rows of the table, in the terminal and on the page. */
const rows: readonly FigureRow[] = [
  { label: 'offered', value: (run) => perSecond(run.offeredPerSecond) },
  { label: `answered within ${deadline}`, value: (run) => perSecond(run.goodputPerSecond) },
  { label: '  of capacity', value: (run) => percent(run.goodputOfCapacity) },
  { label: '  in the second half', value: (run) => percent(run.secondHalfOfCapacity) },
  { label: 'answered after: p50', value: (run) => duration(run.p50) },
  { label: 'answered after: p99', value: (run) => duration(run.p99) },
  { label: 'rejected', value: (run) => percent(run.rejectedShare) },
  {
    label: 'rejected after: p50, p99',
    value: (run) =>
      run.rejectP50 === undefined ? MISSING : `${duration(run.rejectP50)}, ${duration(run.rejectP99)}`,
  },
  { label: `timed out after ${deadline}`, value: (run) => percent(run.timedOutShare) },
  { label: 'failed', value: (run) => percent(run.failedShare), when: (run) => run.failedShare > 0 },
  { label: 'queries run for nobody', value: (run) => count(run.wasted) },
  { label: 'queries left at the end', value: (run) => count(run.backlog) },
  {
    label: '  they take',
    value: (run) => `${run.backlogEstimated ? 'about ' : ''}${duration(run.backlogMs)}`,
  },
  {
    label: 'limit, second half',
    value: ({ limit }) => (limit === undefined ? MISSING : range(limit.least, limit.most, ' to ')),
  },
];

export function figureRows(runs: readonly RunFigures[]): { label: string; values: string[] }[] {
  return rows
    .filter(({ when }) => when === undefined || runs.some(when))
    .map(({ label, value }) => ({ label, values: runs.map(value) }));
}
