import { LimitedMysql } from 'floodgate/mysql2';
import mysql from 'mysql2/promise';
import { startMysql } from '../../integration/support/servers/mysql/start-mysql.js';
import { type Contest, type Contestant, compareThroughput, sideBySide } from './compare-throughput.js';

const statements: Readonly<Record<string, (pool: mysql.Pool) => Promise<unknown>>> = {
  query: (pool) => pool.query('select 1'),
  execute: (pool) => pool.execute('select 1'),
};

/** What the gate takes from a pool's throughput on the cheapest statement there is, with a real server. */
export function mysql2Throughput(quick: boolean): Promise<void> {
  return compareThroughput(import.meta.url, startMysql, quick);
}

export async function contestsAt(uri: string): Promise<readonly Contest[]> {
  const options = { uri, connectionLimit: 10 };
  return Object.entries(statements).flatMap(([name, call]) =>
    [10, 1].map((concurrent) => {
      const contestant = async (pool: mysql.Pool): Promise<Contestant> => ({
        work: sideBySide(concurrent, () => call(pool)),
        close: () => pool.end(),
      });
      return {
        title: `mysql2, ${name}('select 1'), pool of 10, ${concurrent} concurrent`,
        bare: { name: 'Pool', open: () => contestant(mysql.createPool(options)) },
        limited: {
          name: 'LimitedMysql',
          open: () => contestant(new LimitedMysql(mysql.createPool, { maxConcurrentOps: 500 }, options)),
        },
        together: concurrent === 1,
        goal: 0.98,
      };
    }),
  );
}
