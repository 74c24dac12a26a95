import { median, quantile } from './figures.js';

/** Does `count` operations. */
export type Work = (count: number) => Promise<void>;

/** Does `count` operations, and tells what they took. */
export type Measure = (count: number) => Promise<Window>;

export interface Turns {
  /** Nanoseconds an operation in the best window, and in the median one. */
  readonly min: number;
  readonly median: number;
  /** Time against the first contestant's in the same round: median, and the quartiles around it. */
  readonly ratio: number;
  readonly ratioFrom: number;
  readonly ratioTo: number;
}

/** Nanoseconds an operation: as they passed, and as the process (all of its threads) worked. */
export interface Window {
  readonly ns: number;
  readonly cpuNs: number;
}

export interface Schedule {
  readonly rounds: number;
  readonly windowMs: number;
}

/** {@link windowsInTurns}, summed up. */
export async function inTurns<Name extends string>(
  contestants: Readonly<Record<Name, Work>>,
  schedule: Schedule,
): Promise<Record<Name, Turns>> {
  const names = Object.keys(contestants) as Name[];
  const measures = Object.fromEntries(names.map((name) => [name, measureOf(contestants[name])]));
  const windows = await windowsInTurns(measures as Record<Name, Measure>, schedule);
  const timesOf = (name: Name) => windows[name].map(({ ns }) => ns);
  const base = timesOf(names[0]!);
  return Object.fromEntries(names.map((name) => [name, summary(timesOf(name), base)])) as Record<Name, Turns>;
}

/** Of work that is done in this process. */
export function measureOf(work: Work): Measure {
  return async (count) => {
    const before = process.cpuUsage();
    const from = performance.now();
    await work(count);
    const ms = performance.now() - from;
    const { user, system } = process.cpuUsage(before);
    return { ns: (ms * 1e6) / count, cpuNs: ((user + system) * 1e3) / count };
  };
}

/**
 * Times contestants in turns, in a new order each round, so that none always follows the same one. All do
 * the same number of operations in a window: as many as the fastest does in `windowMs`. Ratios are to be taken within a
 * round: a machine that grows slower meanwhile slows both sides of a ratio.
 *
 * @returns a window of each contestant in each round
 */
export async function windowsInTurns<Name extends string>(
  contestants: Readonly<Record<Name, Measure>>,
  { rounds, windowMs }: Schedule,
): Promise<Record<Name, Window[]>> {
  const names = Object.keys(contestants) as Name[];
  const measures = Object.values<Measure>(contestants);
  // Twice: the first time they are cold.
  for (const measure of measures) await countFor(measure, windowMs);
  let count = 0;
  for (const measure of measures) count = Math.max(count, await countFor(measure, windowMs));
  const windows = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Window[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of shuffled(names)) {
      windows[name].push(await contestants[name](count));
    }
  }
  return windows;
}

function summary(times: readonly number[], base: readonly number[]): Turns {
  const ratios = times.map((time, round) => time / base[round]!);
  return {
    min: Math.min(...times),
    median: median(times),
    ratio: median(ratios),
    ratioFrom: quantile(ratios, 0.25),
    ratioTo: quantile(ratios, 0.75),
  };
}

/** How many operations fill a window. */
async function countFor(measure: Measure, windowMs: number): Promise<number> {
  let count = 10;
  for (;;) {
    const { ns } = await measure(count);
    const ms = (ns * count) / 1e6;
    if (ms >= windowMs / 2) return Math.max(1, Math.round((count * windowMs) / ms));
    count *= 2;
  }
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
