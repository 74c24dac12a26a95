import type { Socket } from 'node:net';
import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import { CannedSocket } from './canned-socket.js';
import { sideBySide } from './compare-throughput.js';
import { nanoseconds } from './figures.js';
import { inTurns } from './in-turns.js';
import { printTable } from './table.js';

/** What the gate adds to a pool's query in this process, to the nanosecond: the answers come from memory. */
export async function poolCost(quick: boolean): Promise<void> {
  const options = { max: 10, stream: () => new CannedSocket() as unknown as Socket };
  const bare = new pg.Pool(options);
  const limited = new LimitedPool(pg.Pool, { maxConcurrentOps: 500 }, options);
  const turns = await inTurns(
    {
      'pg.Pool': sideBySide(10, () => bare.query('select 1')),
      LimitedPool: sideBySide(10, () => limited.query('select 1')),
    },
    { rounds: quick ? 40 : 200, windowMs: 20 },
  );
  const rows = Object.entries(turns).map(([name, { min, median, ratio }]) => [
    name,
    nanoseconds(min),
    nanoseconds(median),
    `${ratio.toFixed(3)}x`,
  ]);
  console.log(
    '\n## select 1 answered from memory, pool of 10, 10 concurrent: time per query in this process\n',
  );
  printTable(['pool', 'min', 'median', 'ratio'], rows);
  const added = turns.LimitedPool.min - turns['pg.Pool'].min;
  console.log(`\nthe gate adds ${nanoseconds(added)} to a query`);
}
