import { nanoseconds } from './figures.js';
import { type Refuse, refusers } from './refusers.js';
import { printTable } from './table.js';

const WINDOW = 1000;
/** Rejections before each window. */
const BEFORE = [0, 20_000, 100_000];
const GOAL_NS = 2000;
const FLAT = 1.25;
/** A gate that takes longer is measured no further. */
const PATIENCE_MS = 20_000;

/** What a rejection costs at first, and after many others. */
export async function rejectionCost(quick: boolean): Promise<void> {
  const rounds = quick ? 5 : 15;
  const times = new Map<string, number[][]>();
  for (const [name, make] of Object.entries(refusers)) {
    // Code is compiled on another gate: what is measured is the gate, not the compiler.
    await refuse(make(), 5 * WINDOW, PATIENCE_MS / 10);
    times.set(
      name,
      BEFORE.map(() => []),
    );
  }
  const given = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, make] of Object.entries(refusers)) {
      if (given.has(name)) continue;
      const windows = await windowsOf(make());
      for (const [index, ns] of windows.entries()) times.get(name)?.[index]?.push(ns);
      if (windows.length < BEFORE.length) given.add(name);
    }
  }
  report(times);
}

function report(times: Map<string, number[][]>): void {
  // The best windows: what else the machine does only ever adds time.
  const best = [...times].map(([name, windows]): [string, number[]] => [
    name,
    windows.map((ns) => Math.min(...ns)),
  ]);
  const rows = best.map(([name, [first, ...later]]) => [
    name,
    nanoseconds(first!),
    ...later.map((ns) =>
      ns === Number.POSITIVE_INFINITY ? 'gave up' : `${nanoseconds(ns)} (${(ns / first!).toFixed(2)}x)`,
    ),
  ]);
  console.log(`\n## rejection: time each, as the caller meets it (best windows of ${WINDOW})\n`);
  printTable(['gate', 'first 1,000', 'after 20,000', 'after 100,000'], rows);
  console.log('\np-limit and fastq have no way to refuse: what is over the limit waits, without bound.');
  const [first, , last] = best.find(([name]) => name === 'floodgate run')![1];
  const met = Math.max(first!, last!) <= GOAL_NS && last! / first! <= FLAT;
  console.log(`goal: floodgate run <= ${nanoseconds(GOAL_NS)} and flat: ${met ? 'met' : 'MISSED'}`);
}

/** Nanoseconds a rejection in the window after so many others; fewer windows where patience ran out. */
async function windowsOf(refuser: Refuse): Promise<number[]> {
  const windows: number[] = [];
  const deadline = performance.now() + PATIENCE_MS;
  let refused = 0;
  for (const before of BEFORE) {
    refused += await refuse(refuser, before - refused, deadline - performance.now());
    if (refused < before) break;
    const from = performance.now();
    refused += await refuse(refuser, WINDOW, Number.POSITIVE_INFINITY);
    windows.push(((performance.now() - from) * 1e6) / WINDOW);
  }
  return windows;
}

/** How many were refused within the time. */
async function refuse(refuser: Refuse, count: number, patienceMs: number): Promise<number> {
  const deadline = performance.now() + patienceMs;
  for (let index = 0; index < count; index++) {
    await refuser();
    if (index % 100 === 99 && performance.now() > deadline) return index + 1;
  }
  return count;
}
