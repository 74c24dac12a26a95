import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import { startPostgres } from '../../integration/support/servers/postgres/start-postgres.js';
import { quantile } from './figures.js';
import { inTurns } from './in-turns.js';
import { selectOne } from './select-one.js';
import { printTable } from './table.js';

const GOAL = 0.98;

/** What the gate takes from a pool's throughput on the cheapest statement there is, with a real server. */
export async function poolThroughput(quick: boolean): Promise<void> {
  const server = await startPostgres();
  try {
    for (const concurrent of [10, 1]) await compare(server.url, concurrent, quick);
  } finally {
    await server.close();
  }
}

/**
 * Ten connections are faster or slower than ten others for as long as they live, by more than a gate costs: so pools are
 * made anew many times, and a second plain pool tells how much two equal ones differ.
 */
async function compare(connectionString: string, concurrent: number, quick: boolean): Promise<void> {
  const options = { connectionString, max: 10 };
  const throughputs = { 'pg.Pool': [1], 'pg.Pool again': [] as number[], LimitedPool: [] as number[] };
  for (let generation = 0; generation < (quick ? 5 : 25); generation++) {
    const pools = {
      'pg.Pool': new pg.Pool(options),
      'pg.Pool again': new pg.Pool(options),
      LimitedPool: new LimitedPool(pg.Pool, { maxConcurrentOps: 500 }, options),
    };
    const turns = await inTurns(
      {
        'pg.Pool': selectOne(pools['pg.Pool'], concurrent),
        'pg.Pool again': selectOne(pools['pg.Pool again'], concurrent),
        LimitedPool: selectOne(pools.LimitedPool, concurrent),
      },
      { rounds: 30, windowMs: 20 },
    );
    throughputs['pg.Pool again'].push(1 / turns['pg.Pool again'].ratio);
    throughputs.LimitedPool.push(1 / turns.LimitedPool.ratio);
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
  }
  const rows = Object.entries(throughputs).map(([name, ratios]) => [
    name,
    `${quantile(ratios, 0.5).toFixed(3)}x`,
    `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`,
  ]);
  console.log(`\n## select 1 on a real server, pool of 10, ${concurrent} concurrent: throughput\n`);
  printTable(['pool', 'ratio', 'quartiles'], rows);
  const throughput = quantile(throughputs.LimitedPool, 0.5);
  const met = throughput >= GOAL ? 'met' : 'MISSED';
  console.log(
    `\ngoal: LimitedPool >= ${GOAL}x the throughput of pg.Pool: ${met} (${throughput.toFixed(3)}x)`,
  );
}
