import type { Comparison } from './comparison.js';
import type { Gate, OpenClient, Target } from './target.js';
import { type Tempo, WARM_UP_SECONDS } from './tempo.js';
import { type LoadPlan, Measured, underLoad } from './under-load.js';

export interface Load {
  /** The capacity. */
  readonly times: number;
  readonly perSecond: number;
}

export interface FixedLimits {
  readonly best: number;
  /** Half of, and four times, the one that is best under overload. */
  readonly half: number;
  readonly four: number;
}

/** All contenders at one load, each on a client of its own, all with the same arrivals. */
export async function compareAtLoad(
  target: Target,
  limits: FixedLimits,
  { times, perSecond }: Load,
  tempo: Tempo,
  onHistory: (client: OpenClient) => void,
): Promise<Comparison> {
  const { settleSeconds } = tempo;
  const plan = { perSecond, warmUpSeconds: WARM_UP_SECONDS, seconds: tempo.seconds, seed: 0 };
  const once = async (gate: Gate, differs: Partial<LoadPlan> = {}) => {
    const client = await target.open(gate);
    try {
      return await underLoad(client, { ...plan, ...differs });
    } finally {
      await client.close();
    }
  };
  /** First it finds its limit, which is told apart; then what the best fixed limit meets, without a break. */
  const adaptive = async () => {
    const client = await target.open('adaptive');
    try {
      const settling = await underLoad(client, {
        ...plan,
        warmUpSeconds: 0,
        seconds: settleSeconds,
        seed: 2,
      });
      const settled = new Measured();
      for (const seed of [0, 1]) settled.add(await underLoad(client, { ...plan, seed }));
      return { settling, settled };
    } finally {
      onHistory(client);
      await client.close();
    }
  };
  /** The best fixed limit before and after the adaptive one: a machine that slows down meanwhile slows both. */
  const bestAndAdaptive = async () => {
    const fixed = await once(limits.best);
    const { settling, settled } = await adaptive();
    fixed.add(await once(limits.best, { seed: 1 }));
    return { fixed, settling, settled };
  };

  const { half } = limits;
  const four = Math.min(limits.four, target.mostLimit);
  const bare = await once('bare', { warmUpSeconds: tempo.fillSeconds });
  const atHalf = await once(half);
  const atFour = await once(four);
  let pair = await bestAndAdaptive();
  for (let repeat = 0; repeat < tempo.repeats; repeat++) {
    if (Math.max(pair.fixed.lagP99, pair.settled.lagP99) <= DISTURBED_MS) break;
    pair = await bestAndAdaptive();
  }
  const { fixed, settling, settled } = pair;
  return {
    condition: `${times}x`,
    best: fixed,
    adaptive: settled,
    rows: [
      { contender: 'bare client', measured: bare },
      { contender: `fixed at half: ${half}`, measured: atHalf },
      { contender: `fixed at 4 times: ${four}`, measured: atFour },
      { contender: `best fixed: ${limits.best}`, measured: fixed },
      { contender: `adaptive, first ${settleSeconds} s`, measured: settling },
      { contender: 'adaptive', measured: settled },
    ],
  };
}

/** A load generator that was so late was held up by something else on the machine. */
const DISTURBED_MS = 10;
