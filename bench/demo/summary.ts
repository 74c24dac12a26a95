import { capitalised, count, duration, percent, range } from './format.js';
import type { RunFigures } from './run-figures.js';

/** What was just seen, a sentence for each run and one for all: the figures and nothing else, whatever they are. */
export function summary(runs: readonly RunFigures[]): string[] {
  return [...runs.map(sentence), SAME];
}

const SAME =
  'Server, queries and arrivals were the same each time; what differs is the line that makes the pool.';

function sentence(run: RunFigures): string {
  const { rejectedShare, timedOutShare, failedShare, goodputOfCapacity } = run;
  const limit = run.limit === undefined ? '' : ` of ${range(run.limit.least, run.limit.most, ' to ')}`;
  const parts = [
    `${capitalised(run.name)}${limit}: ${count(run.goodputPerSecond)} answers a second came in time, ` +
      `${percent(goodputOfCapacity)} of what the database can do`,
  ];
  if (run.secondHalfOfCapacity === 0) parts.push('not one in the second half');
  if (run.p99 !== undefined && run.p99 < LONG_MS) parts.push(`99 of 100 within ${duration(run.p99)}`);
  if (timedOutShare > SOME) parts.push(`${percent(timedOutShare)} of the callers waited in vain`);
  if (rejectedShare > SOME)
    parts.push(`${percent(rejectedShare)} of the callers were turned away within ${duration(run.rejectP99)}`);
  if (failedShare > 0) parts.push(`${percent(failedShare)} of the calls failed`);
  if (run.backlogMs === undefined || run.backlogMs > LONG_MS) {
    const work = run.backlogMs === undefined ? '' : `, ${duration(run.backlogMs)} of work for nobody`;
    parts.push(`when the load had ended, ${count(run.backlog)} queries were still in the queue${work}`);
  }
  return `${parts.join('; ')}.`;
}

const LONG_MS = 1000;
/** Less than one in a hundred is not worth a word. */
const SOME = 0.01;
