import { LimitedMysql } from 'floodgate/mysql2';
import mysql from 'mysql2/promise';
import { startMysql } from '../../integration/support/servers/mysql/start-mysql.js';
import { quantile } from './figures.js';
import { inTurns, type Work } from './in-turns.js';
import { printTable } from './table.js';

const GOAL = 0.98;

const statements: Readonly<Record<string, (pool: mysql.Pool) => Promise<unknown>>> = {
  query: (pool) => pool.query('select 1'),
  execute: (pool) => pool.execute('select 1'),
};

/** What the gate takes from a pool's throughput on the cheapest statement there is, with a real server. */
export async function mysql2Throughput(quick: boolean): Promise<void> {
  const server = await startMysql();
  try {
    for (const [name, call] of Object.entries(statements)) {
      for (const concurrent of [10, 1]) await compare(server.url, name, call, concurrent, quick);
    }
  } finally {
    await server.close();
  }
}

/**
 * Ten connections are faster or slower than ten others for as long as they live, by more than a gate costs: so pools are
 * made anew many times, and a second plain pool tells how much two equal ones differ.
 */
async function compare(
  uri: string,
  name: string,
  call: (pool: mysql.Pool) => Promise<unknown>,
  concurrent: number,
  quick: boolean,
): Promise<void> {
  const options = { uri, connectionLimit: 10 };
  const throughputs = { Pool: [1], 'Pool again': [] as number[], LimitedMysql: [] as number[] };
  for (let generation = 0; generation < (quick ? 5 : 25); generation++) {
    const pools = {
      Pool: mysql.createPool(options),
      'Pool again': mysql.createPool(options),
      LimitedMysql: new LimitedMysql(mysql.createPool, { maxConcurrentOps: 500 }, options),
    };
    const turns = await inTurns(
      {
        Pool: sideBySide(() => call(pools.Pool), concurrent),
        'Pool again': sideBySide(() => call(pools['Pool again']), concurrent),
        LimitedMysql: sideBySide(() => call(pools.LimitedMysql), concurrent),
      },
      { rounds: 30, windowMs: 20 },
    );
    throughputs['Pool again'].push(1 / turns['Pool again'].ratio);
    throughputs.LimitedMysql.push(1 / turns.LimitedMysql.ratio);
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
  }
  const rows = Object.entries(throughputs).map(([pool, ratios]) => [
    pool,
    `${quantile(ratios, 0.5).toFixed(3)}x`,
    `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`,
  ]);
  console.log(`\n## mysql2, ${name}('select 1'), pool of 10, ${concurrent} concurrent: throughput\n`);
  printTable(['pool', 'ratio', 'quartiles'], rows);
  const throughput = quantile(throughputs.LimitedMysql, 0.5);
  const met = throughput >= GOAL ? 'met' : 'MISSED';
  console.log(
    `\ngoal: LimitedMysql >= ${GOAL}x the throughput of mysql2's pool: ${met} (${throughput.toFixed(3)}x)`,
  );
}

/** So many side by side, the next as soon as one ends. */
function sideBySide(call: () => Promise<unknown>, concurrent: number): Work {
  return async (count) => {
    let left = count;
    const one = async () => {
      while (left-- > 0) await call();
    };
    await Promise.all(Array.from({ length: concurrent }, one));
  };
}
