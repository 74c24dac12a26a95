import type { FastifyBaseLogger } from 'fastify';
import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';

/** The pool, with a limit that finds itself. */
export function openDatabase(url: string, log: FastifyBaseLogger): LimitedPool {
  const pool = new LimitedPool(
    pg.Pool,
    // What runs and what waits for a connection, together. The adaptive limit is as much of this as the database can use.
    { name: 'postgres', maxConcurrentOps: 50, adaptive: true },
    {
      connectionString: url,
      max: 10,
      // Nobody waits longer than all of these together, so that a shutdown has an end.
      connectionTimeoutMillis: 5_000,
      statement_timeout: 5_000,
      query_timeout: 6_000,
    },
  );
  // Without a listener, an idle connection that breaks ends the process.
  pool.on('error', (error) => log.warn(error, 'an idle connection to PostgreSQL is lost'));
  return pool;
}
