import { nanoseconds } from './figures.js';
import { type GateName, gates, type Run } from './gates.js';
import { inTurns, type Work } from './in-turns.js';
import { printTable } from './table.js';

const LIMIT = 500;
/** Times the bare counter. */
const GOALS = { floodgate: 1.1, 'floodgate, adaptive': 2.2 } as const;

/** What a gate adds to an operation that ends at once, one after the other and 50 side by side. */
export async function runOverhead(quick: boolean): Promise<void> {
  for (const concurrent of [1, 50]) {
    const contestants = Object.fromEntries(
      Object.entries(gates).map(([name, make]) => [name, compete(make(LIMIT), concurrent)]),
    ) as Record<GateName, Work>;
    const turns = await inTurns(contestants, { rounds: quick ? 25 : 150, windowMs: 8 });
    const best = turns['bare counter'].min;
    const rows = Object.entries(turns).map(([name, { min, median, ratio, ratioFrom, ratioTo }]) => [
      name,
      nanoseconds(min),
      `${(min / best).toFixed(2)}x`,
      nanoseconds(median),
      `${ratio.toFixed(2)}x`,
      `${ratioFrom.toFixed(2)} to ${ratioTo.toFixed(2)}`,
    ]);
    console.log(`\n## run, ${concurrent} concurrent, limit ${LIMIT}: time per operation that ends at once\n`);
    printTable(['gate', 'min', 'ratio', 'median', 'ratio', 'quartiles'], rows);
    // Of the best windows: what else the machine does only ever adds time.
    for (const [name, goal] of Object.entries(GOALS)) {
      const ratio = turns[name as GateName].min / best;
      const met = ratio <= goal ? 'met' : 'MISSED';
      console.log(`\ngoal: ${name} <= ${goal}x the bare counter: ${met} (${ratio.toFixed(3)}x)`);
    }
  }
}

/**
 * A loop of its own for each gate, compiled apart: one shared loop would be compiled for all gates at once, and its
 * slower calls would hide the differences.
 */
function compete(run: Run, concurrent: number): Work {
  const loop: (run: Run, work: () => Promise<number>, count: number) => Promise<void> = new Function(
    'return async (run, work, count) => { for (let i = 0; i < count; i++) await run(work); }',
  )();
  const work = async () => 1;
  return async (count) => {
    const each = Math.ceil(count / concurrent);
    await Promise.all(Array.from({ length: concurrent }, () => loop(run, work, each)));
  };
}
