import type { Outcome } from '../../core/outcome.js';
import { outcomeOfSystemError } from '../../core/system-errors.js';

/** One row: errors that match it have this outcome. The first row that matches decides. */
export interface OutcomeRow {
  /** The server's error number. */
  readonly errno?: number;
  /** mysql2's own code. */
  readonly code?: string;
  /** A SQLSTATE, or the first two characters of one for its whole class. */
  readonly sqlState?: string;
  /** The whole message, for errors of mysql2 that have no code. */
  readonly message?: string;
  readonly outcome: Outcome;
  /** Where this is written down, and why it counts so. */
  readonly source: string;
}

const MYSQL = 'MySQL, Server Error Message Reference';
const MARIADB = 'MariaDB, Error Codes';
export const CLIENT_TIMEOUT = 'PROTOCOL_SEQUENCE_TIMEOUT';

/**
 * What errors of MySQL, MariaDB and mysql2 say of the server. Any other is an application error: `failed`. By errno and not
 * by `code`, since MariaDB has errors whose names mysql2 does not know (1969).
 */
export const MYSQL_OUTCOMES: readonly OutcomeRow[] = [
  { errno: 1021, outcome: 'overload', source: `${MYSQL}: ER_DISK_FULL` },
  { errno: 1037, outcome: 'overload', source: `${MYSQL}: ER_OUTOFMEMORY` },
  { errno: 1038, outcome: 'overload', source: `${MYSQL}: ER_OUT_OF_SORTMEMORY` },
  { errno: 1040, outcome: 'overload', source: `${MYSQL}: ER_CON_COUNT_ERROR, too many connections` },
  { errno: 1041, outcome: 'overload', source: `${MYSQL}: ER_OUT_OF_RESOURCES` },
  { errno: 1053, outcome: 'overload', source: `${MYSQL}: ER_SERVER_SHUTDOWN` },
  { errno: 1129, outcome: 'overload', source: `${MYSQL}: ER_HOST_IS_BLOCKED, after many connection errors` },
  { errno: 1135, outcome: 'overload', source: `${MYSQL}: ER_CANT_CREATE_THREAD` },
  { errno: 1158, outcome: 'overload', source: `${MYSQL}: ER_NET_READ_ERROR` },
  { errno: 1159, outcome: 'overload', source: `${MYSQL}: ER_NET_READ_INTERRUPTED, a timeout` },
  { errno: 1160, outcome: 'overload', source: `${MYSQL}: ER_NET_ERROR_ON_WRITE` },
  { errno: 1161, outcome: 'overload', source: `${MYSQL}: ER_NET_WRITE_INTERRUPTED, a timeout` },
  { errno: 1203, outcome: 'overload', source: `${MYSQL}: ER_TOO_MANY_USER_CONNECTIONS` },
  {
    errno: 1205,
    outcome: 'overload',
    source: `${MYSQL}: ER_LOCK_WAIT_TIMEOUT, a timeout like any other; with NOWAIT it is 3572 (MariaDB: 1205 too)`,
  },
  { errno: 1206, outcome: 'overload', source: `${MYSQL}: ER_LOCK_TABLE_FULL` },
  {
    errno: 1226,
    outcome: 'overload',
    source: `${MYSQL}: ER_USER_LIMIT_REACHED, connections or queries an hour`,
  },
  {
    errno: 1317,
    outcome: 'ignored',
    source: `${MYSQL}: ER_QUERY_INTERRUPTED, by KILL QUERY: an operator's or a caller's abort`,
  },
  {
    errno: 1637,
    outcome: 'overload',
    source: `${MYSQL}: ER_TOO_MANY_CONCURRENT_TRXS`,
  },
  { errno: 1927, outcome: 'overload', source: `${MARIADB}: ER_CONNECTION_KILLED, by KILL` },
  {
    errno: 1969,
    outcome: 'overload',
    source: `${MARIADB}: ER_STATEMENT_TIMEOUT, max_statement_time (sqlState 70100; mysql2 knows no name for it)`,
  },
  { errno: 3024, outcome: 'overload', source: `${MYSQL}: ER_QUERY_TIMEOUT, max_execution_time` },
  { errno: 3168, outcome: 'overload', source: `${MYSQL}: ER_SERVER_ISNT_AVAILABLE` },
  { errno: 3169, outcome: 'overload', source: `${MYSQL}: ER_SESSION_WAS_KILLED, by KILL` },
  {
    errno: 4031,
    outcome: 'overload',
    source: `${MYSQL}: ER_CLIENT_INTERACTION_TIMEOUT, the connection is closed`,
  },
  {
    sqlState: '08',
    outcome: 'overload',
    source: `${MYSQL}: any other of SQLSTATE class 08, connection exceptions (Galera's "not yet prepared node" is 1047, 08S01)`,
  },
  { code: CLIENT_TIMEOUT, outcome: 'overload', source: "mysql2, a query's own timeout" },
  {
    code: 'PROTOCOL_CONNECTION_LOST',
    outcome: 'overload',
    source: 'mysql2, the server closed the connection',
  },
  { code: 'HANDSHAKE_SSL_ERROR', outcome: 'overload', source: 'mysql2, TLS failed while connecting' },
  {
    code: 'POOL_NONEONLINE',
    outcome: 'overload',
    source: 'mysql2, PoolCluster: every node that matches is off',
  },
  { message: 'Queue limit reached.', outcome: 'overload', source: 'mysql2, queueLimit of its pool; no code' },
  {
    message: 'No connections available.',
    outcome: 'overload',
    source: 'mysql2, waitForConnections: false of its pool; no code',
  },
  {
    message: "Can't add new command when connection is in closed state",
    outcome: 'overload',
    source: 'mysql2, a query on a connection that is gone; no code',
  },
  {
    code: 'ERR_STREAM_WRITE_AFTER_END',
    outcome: 'ignored',
    source: 'mysql2, its user has closed the connection while it was opened; the code is that of Node',
  },
  { message: 'Pool is closed.', outcome: 'ignored', source: 'mysql2, end() was called; no code' },
];

/** The outcome of an operation that ended with this error. */
export function outcomeOfMysqlError(error: unknown): Outcome {
  if (typeof error !== 'object' || error === null) return 'failed';
  const systemOutcome = outcomeOfSystemError(error);
  if (systemOutcome !== undefined) return systemOutcome;
  return MYSQL_OUTCOMES.find((row) => matches(row, error))?.outcome ?? 'failed';
}

/** mysql2's `timeout` answered the caller; the statement may still run on the server. */
export function isClientTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === CLIENT_TIMEOUT;
}

interface MysqlError {
  errno?: unknown;
  code?: unknown;
  sqlState?: unknown;
  message?: unknown;
}

function matches(row: OutcomeRow, error: MysqlError): boolean {
  if (row.errno !== undefined) return error.errno === row.errno;
  if (row.sqlState !== undefined) return String(error.sqlState ?? '').startsWith(row.sqlState);
  if (row.code !== undefined) return error.code === row.code;
  return error.message === row.message && error.code === undefined && error.errno === undefined;
}
