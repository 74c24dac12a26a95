import { serverAtAddress } from '../shared/server-at-address.js';
import { sqlPlace } from '../shared/sql-server.js';
import type { PostgresOptions, PostgresServer } from './postgres-server.js';
import { waitForPostgres } from './wait-for-postgres.js';

/** A server that somebody else runs: it is used, and never paused, stopped or started. */
export function postgresAtAddress(options: PostgresOptions): Promise<PostgresServer> {
  const at = { variable: 'FLOODGATE_PG_URL', starter: 'startPostgres' };
  return serverAtAddress(at, options, async (url) => {
    if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
      throw new Error('FLOODGATE_PG_URL must read postgres://user:password@host:port/database');
    }
    const version = await waitForPostgres({ url, deadlineMs: 10_000 });
    return { ...sqlPlace(url, 5432), version };
  });
}
