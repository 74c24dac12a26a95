import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../core/outcome.js';
import { isConnectionEnded, isQueryTimeout, outcomeOfPgError, PG_OUTCOMES } from './outcomes.js';

/** As servers, poolers and the driver say it. Those that a test can provoke are also met in `integration/pg/outcomes*`. */
const EXAMPLES: readonly (readonly [message: string, code: string | undefined, outcome: Outcome])[] = [
  ['canceling statement due to user request', '57014', 'ignored'],
  ['COPY from stdin failed: NODE-PG-COPY-STREAMS destroy() was called', '57014', 'ignored'],
  ['canceling statement due to statement timeout', '57014', 'overload'],
  ['storniere Anfrage wegen Zeitüberschreitung der Anfrage', '57014', 'overload'],
  ['canceling statement due to lock timeout', '55P03', 'overload'],
  ['could not obtain lock on row in relation "accounts"', '55P03', 'failed'],
  ['terminating connection due to transaction timeout', '25P04', 'overload'],
  ['current transaction is aborted, commands ignored until end of transaction block', '25P02', 'failed'],
  ['terminating connection due to idle-in-transaction timeout', '25P03', 'failed'],
  ['sorry, too many clients already', '53300', 'overload'],
  ['out of memory', '53200', 'overload'],
  ['could not extend file "base/5/16384": No space left on device', '53100', 'overload'],
  ['temporary file size exceeds "temp_file_limit" (64kB)', '53400', 'overload'],
  ['terminating connection due to administrator command', '57P01', 'overload'],
  ['terminating connection because of crash of another server process', '57P02', 'overload'],
  ['the database system is starting up', '57P03', 'overload'],
  ['database "orders" does not exist', '57P04', 'failed'],
  ['terminating connection due to idle-session timeout', '57P05', 'failed'],
  ['could not read block 0 in file "base/5/16384": Input/output error', '58030', 'overload'],
  ['query_wait_timeout', '08P01', 'overload'],
  ['no more connections allowed (max_client_conn)', '08P01', 'overload'],
  ['bind message supplies 2 parameters, but prepared statement "" requires 1', '08P01', 'failed'],
  ['connection to client lost', '08006', 'overload'],
  ['server login has been failing, try again later (server_login_retry)', '08006', 'overload'],
  ['duplicate key value violates unique constraint "orders_pkey"', '23505', 'failed'],
  ['syntax error at or near "selec"', '42601', 'failed'],
  ['division by zero', '22012', 'failed'],
  ['could not serialize access due to concurrent update', '40001', 'failed'],
  ['deadlock detected', '40P01', 'failed'],
  ['cannot execute INSERT in a read-only transaction', '25006', 'failed'],
  ['password authentication failed for user "app"', '28P01', 'failed'],
  ['cache lookup failed for relation 16384', 'XX000', 'failed'],
  ['timeout exceeded when trying to connect', undefined, 'overload'],
  ['Connection terminated unexpectedly', undefined, 'overload'],
  ['Connection terminated due to connection timeout', undefined, 'overload'],
  ['Connection terminated', undefined, 'ignored'],
  ['timeout expired', undefined, 'overload'],
  ['Query read timeout', undefined, 'overload'],
  ['Client has encountered a connection error and is not queryable', undefined, 'overload'],
  ['Client was closed and is not queryable', undefined, 'failed'],
  ['Cannot use a pool after calling end on the pool', undefined, 'failed'],
  ['write EPIPE', 'EPIPE', 'overload'],
  ['read ECONNRESET', 'ECONNRESET', 'overload'],
];

const errorOf = (message: string, code?: string) => Object.assign(new Error(message), { code });

describe('outcomeOfPgError', () => {
  test.each(EXAMPLES)('%s (%s) is %s', (message, code, outcome) => {
    expect(outcomeOfPgError(errorOf(message, code))).toBe(outcome);
  });

  test('every row of the table decides about one of these errors, by itself', () => {
    const deciding = EXAMPLES.map(([message, code]) =>
      PG_OUTCOMES.find(
        (row) =>
          (row.sqlstate === undefined ? code === undefined : code?.startsWith(row.sqlstate)) &&
          message.includes(row.message ?? ''),
      ),
    );
    expect(PG_OUTCOMES.filter((row) => !deciding.includes(row))).toEqual([]);
  });

  test('a row never decides for codes that are none of its own', () => {
    // A message that is the driver's, with a code that is the server's: the server's word counts.
    expect(outcomeOfPgError(errorOf('Query read timeout', '22012'))).toBe('failed');
    // A class is two characters of five, not a part of a longer code.
    expect(outcomeOfPgError(errorOf('x', '53'))).toBe('failed');
    expect(outcomeOfPgError(errorOf('x', '533000'))).toBe('failed');
    expect(outcomeOfPgError(errorOf('x', '53abc'))).toBe('failed');
  });

  test.each([[undefined], [null], ['57014'], [57_014], [{}], [{ code: 57_014 }], [{ message: 5 }]])(
    '%j, which is no error of the driver, is failed',
    (thrown) => {
      expect(outcomeOfPgError(thrown)).toBe('failed');
    },
  );

  test('every row says where it is written down', () => {
    expect(PG_OUTCOMES.filter(({ source }) => source.length < 10)).toEqual([]);
  });
});

test('a query timeout and an ended connection are told by the whole message', () => {
  expect([isQueryTimeout(errorOf('Query read timeout')), isQueryTimeout(errorOf('timeout'))]).toEqual([
    true,
    false,
  ]);
  expect(isQueryTimeout({ message: 'Query read timeout' })).toBe(false);
  const ends = ['Connection terminated', 'Connection terminated unexpectedly'];
  expect(ends.map((message) => isConnectionEnded(errorOf(message)))).toEqual([true, false]);
});
