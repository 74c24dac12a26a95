import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import { startPostgres } from '../../integration/support/servers/postgres/start-postgres.js';
import { type Contestant, compareThroughput, sideBySide } from './compare-throughput.js';

/** What the gate takes from a pool's throughput on the cheapest statement there is, with a real server. */
export async function poolThroughput(quick: boolean): Promise<void> {
  const server = await startPostgres();
  const options = { connectionString: server.url, max: 10 };
  try {
    for (const concurrent of [10, 1]) {
      const contestant = (pool: pg.Pool): Contestant => ({
        work: sideBySide(concurrent, () => pool.query('select 1')),
        close: () => pool.end(),
      });
      await compareThroughput(
        {
          title: `select 1 on a real server, pool of 10, ${concurrent} concurrent`,
          bare: { name: 'pg.Pool', open: async () => contestant(new pg.Pool(options)) },
          limited: {
            name: 'LimitedPool',
            open: async () => contestant(new LimitedPool(pg.Pool, { maxConcurrentOps: 500 }, options)),
          },
          goal: 0.98,
        },
        quick,
      );
    }
  } finally {
    await server.close();
  }
}
