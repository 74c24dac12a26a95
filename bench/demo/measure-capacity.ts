import pg from 'pg';
import { closedLoop } from '../load/closed-loop.js';
import { DemoError } from './demo-error.js';
import { workload } from './workload.js';

/**
 * What the database can do, in answers per second: every connection busy, nobody waiting, and of some seconds the best.
 * Whatever else the machine does takes away from it and adds nothing; an average would make the contenders look better.
 */
export async function measureCapacity(
  config: pg.PoolConfig,
  signal: AbortSignal,
  onAnswer: (elapsedMs: number) => void,
): Promise<number> {
  const pool = new pg.Pool(config);
  pool.on('error', () => {});
  try {
    const { bySecond } = await closedLoop({
      callers: workload.poolSize,
      ...capacityTimes,
      call: () => pool.query(workload.query),
      onAnswer,
      signal,
    });
    return Math.max(...bySecond);
  } catch (error) {
    throw new DemoError(`The server fails under the demo's query: ${(error as Error).message}`, 1, {
      cause: error,
    });
  } finally {
    await pool.end();
  }
}

export const capacityTimes = { warmUpSeconds: 1, seconds: 4 } as const;
