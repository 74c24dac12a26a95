import type { LoadFigures } from '../load/load-figures.js';
import type { OpenLoopResult } from '../load/open-loop.js';
import type { Contender } from './contenders.js';
import type { LoadPlan } from './run-contender.js';

/** What table, words and page say of one contender; shares are of 1, times in milliseconds, a missing one `undefined`. */
export interface RunFigures {
  readonly name: string;
  readonly setup: string;
  /** In force in the second half of the load, `undefined` without one. An adaptive one moves, and begins by finding itself. */
  readonly limit: { readonly least: number; readonly most: number } | undefined;
  readonly offeredPerSecond: number;
  /** Answers that reached a caller who was still there, while the load lasted. */
  readonly goodputPerSecond: number;
  readonly goodputOfCapacity: number;
  /** The same in the second half of the load: how it goes on if the load does. */
  readonly secondHalfOfCapacity: number;
  /** Of all callers. */
  readonly inTimeShare: number;
  readonly rejectedShare: number;
  readonly timedOutShare: number;
  readonly failedShare: number;
  /** Of all answers, late ones included: those in time alone would flatter. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly rejectP50: number | undefined;
  readonly rejectP99: number | undefined;
  /** Queries that the database ran for callers who had gone. */
  readonly wasted: number;
  readonly backlog: number;
  /** How long the backlog lasted, or would have at the pace seen; `undefined` when nothing moved. */
  readonly backlogMs: number | undefined;
  /** Whether the demo left before the backlog was gone. */
  readonly backlogEstimated: boolean;
  readonly lagP99: number | undefined;
}

export function runFigures(
  contender: Pick<Contender, 'name' | 'setup'>,
  result: OpenLoopResult,
  plan: LoadPlan,
  capacityPerSecond: number,
): RunFigures {
  const { recorder, backlog, left, settledMs } = result;
  const loadMs = plan.seconds * 1000;
  const underLoad = recorder.between(0, loadMs);
  const all = recorder.between(0, Number.POSITIVE_INFINITY);
  // On a slice's edge, whole slices being all there is.
  const halfMs = Math.ceil(loadMs / 2 / recorder.sliceMs) * recorder.sliceMs;
  const secondHalf = (recorder.between(halfMs, loadMs).inTime * 1000) / (loadMs - halfMs);
  const goodputPerSecond = underLoad.inTime / plan.seconds;
  const share = (part: number) => (all.offered === 0 ? 0 : part / all.offered);
  return {
    name: contender.name,
    setup: contender.setup,
    limit: limitsOf(recorder.slices.slice(halfMs / recorder.sliceMs, loadMs / recorder.sliceMs)),
    offeredPerSecond: all.offered / plan.seconds,
    goodputPerSecond,
    goodputOfCapacity: goodputPerSecond / capacityPerSecond,
    secondHalfOfCapacity: secondHalf / capacityPerSecond,
    inTimeShare: share(all.inTime),
    rejectedShare: share(all.rejected),
    timedOutShare: share(all.timedOut),
    failedShare: share(all.failed),
    p50: all.latency.percentile(0.5),
    p99: all.latency.percentile(0.99),
    rejectP50: all.rejectTime.percentile(0.5),
    rejectP99: all.rejectTime.percentile(0.99),
    wasted: all.late,
    backlog,
    backlogMs: left === 0 ? settledMs : left < backlog ? (settledMs * backlog) / (backlog - left) : undefined,
    backlogEstimated: left > 0,
    lagP99: all.lag.percentile(0.99),
  };
}

function limitsOf(slices: readonly LoadFigures[]): RunFigures['limit'] {
  const limits = slices.flatMap(({ limit }) => limit ?? []);
  return limits.length === 0 ? undefined : { least: Math.min(...limits), most: Math.max(...limits) };
}
