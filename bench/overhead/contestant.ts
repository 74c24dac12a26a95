// node contestant.js <module of contests> <server> <number of the contest> <bare|limited>
import type { ContestModule } from './compare-throughput.js';
import { measureOf } from './in-turns.js';

/* One side of a contest, in a process of its own. */
const [module, server, number, side] = process.argv.slice(2) as [string, string, string, 'bare' | 'limited'];
const { contestsAt } = (await import(module)) as ContestModule;
const contests = await contestsAt(server);
const { work, close } = await contests[Number(number)]![side].open();
const measure = measureOf(work);

process.on('message', async (count: number) => process.send?.(await measure(count)));
process.once('disconnect', async () => {
  await close();
  process.exit();
});
process.send?.('ready');
