import {
  type PostgresServer,
  startPostgres,
} from '../../integration/support/servers/postgres/start-postgres.js';
import { DemoError } from './demo-error.js';

/**
 * The server that needs nothing installed, unless the environment asks for another; where it can't be had, any other.
 *
 * @throws DemoError that says why there is none, and the ways to get one
 */
export async function startDemoServer(signal: AbortSignal): Promise<PostgresServer> {
  const { FLOODGATE_PG_URL, FLOODGATE_SERVERS } = process.env;
  try {
    if (FLOODGATE_PG_URL || FLOODGATE_SERVERS) return await startPostgres();
    return await startPostgres({ way: 'embedded' }).catch((error) => {
      if (signal.aborted) throw error;
      return startPostgres();
    });
  } catch (error) {
    throw new DemoError((error as Error).message, 1, { cause: error });
  }
}
