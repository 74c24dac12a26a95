import { setTimeout as sleep } from 'node:timers/promises';
import { isBackpressureError } from 'floodgate';
import type pg from 'pg';
import { poissonArrivals } from '../load/arrivals.js';
import { type OpenLoopProgress, type OpenLoopResult, openLoop } from '../load/open-loop.js';
import type { Contender } from './contenders.js';
import { openConnections } from './open-connections.js';
import { workload } from './workload.js';

export interface LoadPlan {
  readonly perSecond: number;
  readonly seconds: number;
}

/** One contender under the load, on a pool of its own whose connections are open before the first call. */
export async function runContender(
  contender: Contender,
  config: pg.PoolConfig,
  plan: LoadPlan,
  signal: AbortSignal,
  onTick: (progress: OpenLoopProgress) => void,
): Promise<OpenLoopResult> {
  const { pool, limit } = contender.open(config);
  // A server that goes away is told by the calls.
  pool.on('error', () => {});
  try {
    await openConnections(pool, workload.poolSize);
    return await openLoop({
      arrivals: poissonArrivals(plan.perSecond, workload.seed),
      seconds: plan.seconds,
      call: () => pool.query(workload.query),
      isRejection: isBackpressureError,
      deadlineMs: workload.deadlineMs,
      settleMs: SETTLE_MS,
      sliceMs: SLICE_MS,
      limit,
      onTick,
      signal,
    });
  } finally {
    // What still waits in a bare pool is forgotten by it, and never answered.
    await Promise.race([pool.end(), sleep(2000, undefined, { ref: false })]);
  }
}

/** Of the plots. */
const SLICE_MS = 500;
/** A backlog is watched for so long; it may last far longer. */
const SETTLE_MS = 6_000;
