import type { ResponseNoise } from './response-noise.js';

/** The work that a limit (or so many in flight) yields, averaged over windows. */
export interface WorkYield {
  readonly limit: number;
  /** Answers a second. */
  readonly workRate: number;
  /** That this was measured by; what is older weighs less. */
  readonly answers: number;
}

/** @param keep weight of what was before, 0 to 1 */
export function averaged(before: WorkYield, now: WorkYield, keep: number): WorkYield {
  const kept = before.answers * keep;
  const answers = kept + now.answers;
  const mean = (old: number, fresh: number) => (old * kept + fresh * now.answers) / answers;
  return { limit: mean(before.limit, now.limit), workRate: mean(before.workRate, now.workRate), answers };
}

/** d ln(work rate) / d ln(limit), with its standard error. */
export function slopeBetween(
  from: WorkYield,
  to: WorkYield,
  noise: ResponseNoise,
): { slope: number; error: number } {
  const run = Math.log(to.limit / from.limit);
  return {
    slope: Math.log(to.workRate / from.workRate) / run,
    error: noise.between(from.answers, to.answers) / Math.abs(run),
  };
}
