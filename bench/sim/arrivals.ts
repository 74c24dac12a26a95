import { RandomStream } from './random.js';
import type { Phase, Scenario } from './scenario.js';

/** One operation that a caller wants, the same for every contender. */
export interface Arrival {
  readonly at: number;
  readonly process: number;
  readonly kind: number;
  readonly demandMs: number;
  /** 0 to 1, for what may befall it (a lost answer, the jitter of its retries). */
  readonly luck: number;
}

/** The phase in force at a time, with what earlier ones set and it did not change. */
export function phaseAt(scenario: Scenario, at: number): Required<Phase> {
  let merged = { ...FIRST } as Required<Phase>;
  for (const phase of scenario.phases) {
    if (phase.at <= at) merged = { ...merged, unscored: false, ...phase };
  }
  return merged;
}

export function valueAt(value: number | ((sinceMs: number) => number), sinceMs: number): number {
  return typeof value === 'number' ? value : value(sinceMs);
}

const FIRST: Omit<Required<Phase>, 'rate' | 'capacity'> = {
  at: 0,
  contention: 0.005,
  networkMs: 0,
  slowness: 1,
  mix: 1,
  answers: 'normal',
  lost: 0,
  processes: Number.POSITIVE_INFINITY,
  clump: 1,
  unscored: false,
};

/** A Poisson process (of clumps, where they are asked for) whose rate follows the phases (by thinning), with demands from streams of their own. */
export function arrivalsOf(scenario: Scenario, seed: number): Arrival[] {
  const gaps = new RandomStream(seed, 'gaps');
  const thinning = new RandomStream(seed, 'thinning');
  const who = new RandomStream(seed, 'process');
  const what = new RandomStream(seed, 'kind');
  const luck = new RandomStream(seed, 'luck');
  const demands = scenario.kinds.map((kind) => new RandomStream(seed, `demand/${kind.name}`));
  const processes = scenario.processes ?? 1;
  const starts = scenario.phases.map((phase) => phase.at);
  const arrivals: Arrival[] = [];
  starts.forEach((from, index) => {
    const to = starts[index + 1] ?? scenario.durationMs;
    const phase = phaseAt(scenario, from);
    const steps = Math.max(1, Math.ceil((to - from) / 100));
    let peak = 0;
    for (let step = 0; step <= steps; step++) {
      peak = Math.max(peak, valueAt(phase.rate, (step / steps) * (to - from)));
    }
    if (peak === 0) return;
    const gap = () => gaps.exponential((phase.clump * 1000) / peak);
    for (let at = from + gap(); at < to; at += gap()) {
      const process = Math.floor(who.next() * Math.min(processes, phase.processes));
      const clump = Array.from({ length: phase.clump }, () => {
        const kind = scenario.kinds.length > 1 && what.next() >= phase.mix ? 1 : 0;
        const { demandMs, cv } = scenario.kinds[kind]!;
        const demand = demands[kind]!.positive(demandMs, cv) * phase.slowness;
        return { at, process, kind, demandMs: demand, luck: luck.next() };
      });
      if (thinning.next() * peak < valueAt(phase.rate, at - from)) arrivals.push(...clump);
    }
  });
  return arrivals;
}
