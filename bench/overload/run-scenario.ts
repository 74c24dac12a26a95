import { bestFixed } from './best-fixed.js';
import { capacityOf } from './capacity.js';
import type { Comparison, Row } from './comparison.js';
import type { Stage } from './scenario.js';
import type { Gate, OpenClient } from './target.js';
import type { Tempo } from './tempo.js';
import { type LoadPlan, type Measured, underLoad } from './under-load.js';

export interface ScenarioResult {
  /** In the first phase, per second. */
  readonly capacity: number;
  /** Two for each phase: its first seconds, which include the way to a new limit, and what followed. */
  readonly comparisons: readonly { readonly judged: boolean; readonly comparison: Comparison }[];
}

type Stretches = { readonly first: Measured; readonly later: Measured } | undefined;

/**
 * Through all phases without a break: the best fixed limit of each phase, set at the very moment it begins by somebody who
 * knows; the first phase's best limit, left alone; and the adaptive one.
 */
export async function runScenario(
  { target, times, phases }: Stage,
  tempo: Tempo,
  onHistory: (client: OpenClient) => void,
): Promise<ScenarioResult> {
  /** The load, from the first phase's capacity on. */
  let perSecond = 0;
  const limits: number[] = [];
  for (const phase of phases) {
    if (phase.like !== undefined) {
      limits.push(limits[phase.like]!);
      continue;
    }
    await phase.enter();
    const capacity = await capacityOf(target, tempo.capacitySeconds);
    perSecond ||= times * capacity.perSecond;
    limits.push((await bestFixed(target, capacity, perSecond / capacity.perSecond, tempo)).limit);
  }

  async function through(gate: Gate, limitIn?: (phase: number) => number): Promise<Stretches[]> {
    await phases[0]!.enter();
    const client = await target.open(gate);
    const stretch = (seconds: number, seed: number): Promise<Measured> => {
      const plan: LoadPlan = { perSecond, warmUpSeconds: 0, seconds, seed };
      return underLoad(client, plan);
    };
    const all: Stretches[] = [];
    try {
      for (const [index, phase] of phases.entries()) {
        if (index > 0) await phase.enter();
        if (limitIn !== undefined) client.limiter!.resize(limitIn(index));
        if (phase.idleSeconds !== undefined) await stretch(phase.idleSeconds, index);
        const { phaseSeconds } = tempo;
        const skipped = phase.idleSeconds !== undefined;
        all.push(
          skipped
            ? undefined
            : {
                first: await stretch(phaseSeconds, 10 + index),
                later: await stretch(phaseSeconds, 20 + index),
              },
        );
      }
    } finally {
      if (gate === 'adaptive') onHistory(client);
      await client.close();
    }
    return all;
  }

  const best = await through(limits[0]!, (phase) => limits[phase]!);
  const left = new Set(limits).size > 1 ? await through(limits[0]!) : undefined;
  const adaptive = await through('adaptive');

  const comparisons = phases.flatMap((phase, index) => {
    if (best[index] === undefined) return [];
    return (['first', 'later'] as const).map((stretch) => {
      const rows: Row[] = [{ contender: `best fixed: ${limits[index]}`, measured: best[index]![stretch] }];
      const stale = left?.[index];
      if (stale !== undefined && limits[index] !== limits[0]) {
        rows.push({ contender: `left at ${limits[0]}`, measured: stale[stretch] });
      }
      rows.push({ contender: 'adaptive', measured: adaptive[index]![stretch] });
      const condition =
        stretch === 'first' ? `${phase.name}, first ${tempo.phaseSeconds} s` : `${phase.name}, then`;
      const comparison = {
        condition,
        best: best[index]![stretch],
        adaptive: adaptive[index]![stretch],
        rows,
      };
      return { judged: stretch === 'later', comparison };
    });
  });
  return { capacity: perSecond / times, comparisons };
}
