import { LimitedMysql } from 'floodgate/mysql2';
import mysql from 'mysql2/promise';
import { startMysql } from '../../integration/support/servers/mysql/start-mysql.js';
import { type Contestant, compareThroughput, sideBySide } from './compare-throughput.js';

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

async function compare(
  uri: string,
  name: string,
  call: (pool: mysql.Pool) => Promise<unknown>,
  concurrent: number,
  quick: boolean,
): Promise<void> {
  const options = { uri, connectionLimit: 10 };
  const contestant = (pool: mysql.Pool): Contestant => ({
    work: sideBySide(concurrent, () => call(pool)),
    close: () => pool.end(),
  });
  await compareThroughput(
    {
      title: `mysql2, ${name}('select 1'), pool of 10, ${concurrent} concurrent`,
      bare: { name: 'Pool', open: async () => contestant(mysql.createPool(options)) },
      limited: {
        name: 'LimitedMysql',
        open: async () => contestant(new LimitedMysql(mysql.createPool, { maxConcurrentOps: 500 }, options)),
      },
      goal: 0.98,
    },
    quick,
  );
}
