import type { Outcome } from '../../core/outcome.js';
import { outcomeOfSystemError } from '../../core/system-errors.js';

/** One row: errors that match it have this outcome. The first row that matches decides. */
export interface OutcomeRow {
  /** A SQLSTATE, or the first two characters of one for its whole class; absent for errors of the driver itself. */
  readonly sqlstate?: string;
  /** Text that the message contains; absent if the SQLSTATE says enough. */
  readonly message?: string;
  readonly outcome: Outcome;
  /** Where this is written down, and why it counts so. */
  readonly source: string;
}

const QUERY_TIMEOUT = 'Query read timeout';
const CONNECTION_ENDED = 'Connection terminated';
const ERRCODES = 'PostgreSQL, appendix A (error codes)';

/** What errors of PostgreSQL, pg and pg-pool say of the server. Any other SQLSTATE is an application error: `failed`. */
export const PG_OUTCOMES: readonly OutcomeRow[] = [
  {
    sqlstate: '57014',
    message: 'user request',
    outcome: 'ignored',
    source: `${ERRCODES}: query_canceled by pg_cancel_backend, a caller's abort`,
  },
  {
    sqlstate: '57014',
    message: 'COPY from stdin failed',
    outcome: 'ignored',
    source: 'PostgreSQL, protocol: CopyFail, sent when the stream that was to bring the data is destroyed',
  },
  {
    sqlstate: '57014',
    outcome: 'overload',
    source: `${ERRCODES}: query_canceled by statement_timeout; the message is translated, so any other text counts as this`,
  },
  {
    sqlstate: '55P03',
    message: 'lock timeout',
    outcome: 'overload',
    source: `${ERRCODES}: lock_not_available after lock_timeout; with NOWAIT it is an answer, and failed`,
  },
  { sqlstate: '25P04', outcome: 'overload', source: `${ERRCODES}: transaction_timeout` },
  {
    sqlstate: '53',
    outcome: 'overload',
    source: `${ERRCODES}: class 53, insufficient resources (53300 too_many_connections, 53200 out_of_memory, 53100 disk_full, 53400)`,
  },
  {
    sqlstate: '57P01',
    outcome: 'overload',
    source: `${ERRCODES}: admin_shutdown, also pg_terminate_backend`,
  },
  { sqlstate: '57P02', outcome: 'overload', source: `${ERRCODES}: crash_shutdown` },
  {
    sqlstate: '57P03',
    outcome: 'overload',
    source: `${ERRCODES}: cannot_connect_now (starting up, shutting down, in recovery)`,
  },
  { sqlstate: '58030', outcome: 'overload', source: `${ERRCODES}: io_error` },
  {
    sqlstate: '08P01',
    message: 'query_wait_timeout',
    outcome: 'overload',
    source: 'PgBouncer, query_wait_timeout',
  },
  {
    sqlstate: '08P01',
    message: 'no more connections allowed',
    outcome: 'overload',
    source: 'PgBouncer, max_client_conn',
  },
  { sqlstate: '08P01', outcome: 'failed', source: `${ERRCODES}: protocol_violation` },
  { sqlstate: '08', outcome: 'overload', source: `${ERRCODES}: class 08, connection exception` },
  {
    message: 'timeout exceeded when trying to connect',
    outcome: 'overload',
    source: 'pg-pool, connectionTimeoutMillis in its queue',
  },
  {
    message: 'Connection terminated unexpectedly',
    outcome: 'overload',
    source: 'pg, the connection was lost',
  },
  {
    message: 'Connection terminated due to connection timeout',
    outcome: 'overload',
    source: 'pg-pool, connectionTimeoutMillis of a new connection',
  },
  {
    message: CONNECTION_ENDED,
    outcome: 'ignored',
    source: 'pg, end() or release(true) under a running query: the caller did it',
  },
  { message: 'timeout expired', outcome: 'overload', source: 'pg, connectionTimeoutMillis of a Client' },
  { message: QUERY_TIMEOUT, outcome: 'overload', source: 'pg, query_timeout' },
  {
    message: 'Client has encountered a connection error and is not queryable',
    outcome: 'overload',
    source: 'pg, a query on a dead connection',
  },
];

/** The outcome of an operation that ended with this error. */
export function outcomeOfPgError(error: unknown): Outcome {
  if (typeof error !== 'object' || error === null) return 'failed';
  const { code, message } = error as { code?: unknown; message?: unknown };
  // First, since a system error's code may look like a SQLSTATE: EPIPE.
  const systemOutcome = outcomeOfSystemError(error);
  if (systemOutcome !== undefined) return systemOutcome;
  const sqlstate = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
  const text = typeof message === 'string' ? message : '';
  return PG_OUTCOMES.find((row) => matches(row, sqlstate, text))?.outcome ?? 'failed';
}

/** pg's `query_timeout` answered the caller; the statement may still run on the server. */
export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === QUERY_TIMEOUT;
}

/** The query was cut off by our side's `end()`; its statement may still run on the server. */
export function isConnectionEnded(error: unknown): boolean {
  return error instanceof Error && error.message === CONNECTION_ENDED;
}

function matches(row: OutcomeRow, sqlstate: string | undefined, message: string): boolean {
  if (row.sqlstate === undefined ? sqlstate !== undefined : !sqlstate?.startsWith(row.sqlstate)) return false;
  return row.message === undefined || message.includes(row.message);
}
