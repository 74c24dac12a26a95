import type { ServerOptions, ServerSettings } from '../shared/server.js';
import type { SqlServer } from '../shared/sql-server.js';

/** What every way of getting a PostgreSQL server hands over. A stop keeps its data, and is `fast` unless told. */
export type PostgresServer = SqlServer<PostgresWay, StopMode>;

export type PostgresWay = 'address' | 'local' | 'embedded' | 'container';

/** `immediate` is a crash: with the default `synchronous_commit=off` the last 0.6 s of commits may be lost. */
export type StopMode = 'smart' | 'fast' | 'immediate';

export interface PostgresOptions extends ServerOptions<PostgresWay> {
  /** Server parameters (`-c name=value`), on top of the defaults. A server at an address keeps its own. */
  readonly settings?: ServerSettings;
}

/** What the postmaster takes for each way of going down: https://www.postgresql.org/docs/current/server-shutdown.html */
export const stopSignals: Readonly<Record<StopMode, NodeJS.Signals>> = {
  smart: 'SIGTERM',
  fast: 'SIGINT',
  immediate: 'SIGQUIT',
};
