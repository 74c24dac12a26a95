import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import { startPostgres } from '../../integration/support/servers/postgres/start-postgres.js';
import { type Contest, type Contestant, compareThroughput, sideBySide } from './compare-throughput.js';

/** What the gate takes from a pool's throughput on the cheapest statement there is, with a real server. */
export function poolThroughput(quick: boolean): Promise<void> {
  return compareThroughput(import.meta.url, startPostgres, quick);
}

export async function contestsAt(connectionString: string): Promise<readonly Contest[]> {
  const options = { connectionString, max: 10 };
  return [10, 1].map((concurrent) => {
    const contestant = async (pool: pg.Pool): Promise<Contestant> => ({
      work: sideBySide(concurrent, () => pool.query('select 1')),
      close: () => pool.end(),
    });
    return {
      title: `select 1 on a real server, pool of 10, ${concurrent} concurrent`,
      bare: { name: 'pg.Pool', open: () => contestant(new pg.Pool(options)) },
      limited: {
        name: 'LimitedPool',
        open: () => contestant(new LimitedPool(pg.Pool, { maxConcurrentOps: 500 }, options)),
      },
      together: concurrent === 1,
      goal: 0.98,
    };
  });
}
