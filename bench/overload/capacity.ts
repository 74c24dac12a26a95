import { closedLoop } from '../load/closed-loop.js';
import type { Target } from './target.js';

export interface Capacity {
  /** Answers per second with everything busy, of some seconds the best: other work of the machine only takes away. */
  readonly perSecond: number;
  /** So many in flight keep it busy, by Little's law: capacity times the latency of one caller alone. */
  readonly knee: number;
}

export async function capacityOf(target: Target, seconds: number): Promise<Capacity> {
  const client = await target.open(target.mostLimit);
  const { call } = client;
  try {
    const alone = await closedLoop({ callers: 1, warmUpSeconds: 0.2, seconds: 0.5, call });
    const busy = await closedLoop({ callers: target.callers, warmUpSeconds: 0.3, seconds, call });
    const perSecond = Math.max(...busy.bySecond);
    return { perSecond, knee: (perSecond * alone.latency.percentile(0.5)!) / 1000 };
  } finally {
    await client.close();
  }
}
