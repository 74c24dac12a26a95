import type { ServerOptions, ServerSettings } from '../shared/server.js';
import type { SqlServer } from '../shared/sql-server.js';

/**
 * What every way of getting a MySQL or MariaDB server hands over; its version as in `9.4.0` or
 * `10.11.14-MariaDB-0+deb12u2`. A stop keeps its data, and is `fast` unless told.
 */
export type MysqlServer = SqlServer<MysqlWay, MysqlStopMode>;

export type MysqlWay = 'address' | 'local' | 'container';

/** `immediate` is a crash. */
export type MysqlStopMode = 'fast' | 'immediate';

export interface MysqlOptions extends ServerOptions<MysqlWay> {
  /** Server variables (`--name=value`), on top of the defaults. A server at an address keeps its own. */
  readonly settings?: ServerSettings;
}

export const stopSignals: Readonly<Record<MysqlStopMode, NodeJS.Signals>> = {
  fast: 'SIGTERM',
  immediate: 'SIGKILL',
};

/** Where tests work; the server's own databases are left alone. */
export const DATABASE = 'floodgate';
