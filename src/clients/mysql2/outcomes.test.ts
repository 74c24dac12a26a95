import { describe, expect, test } from 'vitest';
import { BackpressureError } from '../../core/backpressure-error.js';
import { isClientTimeout, MYSQL_OUTCOMES, outcomeOfMysqlError } from './outcomes.js';

/** An error as mysql2 makes it. */
const error = (properties: object, message = 'said by the server') =>
  Object.assign(new Error(message), properties);

const rows = MYSQL_OUTCOMES.map((row) => [row.source, row] as const);

describe('the table of outcomes', () => {
  test.each(rows)('has a row for %s', (_, { errno, code, sqlState, message, outcome }) => {
    const properties = { errno, code, sqlState: sqlState === undefined ? undefined : `${sqlState}S01` };
    expect(outcomeOfMysqlError(error(properties, message))).toBe(outcome);
  });

  test.each(rows)('says for %s where that is written down', (source) => {
    expect(source).toMatch(/^(MySQL, Server Error Message Reference|MariaDB, Error Codes): |^mysql2, /);
  });

  test('has no row twice', () => {
    const keys = MYSQL_OUTCOMES.map(
      ({ errno, code, sqlState, message }) => errno ?? code ?? sqlState ?? message,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('by errno', () => {
  test.each([
    [1040, 'ER_CON_COUNT_ERROR', '08004', 'overload'],
    [1053, 'ER_SERVER_SHUTDOWN', '08S01', 'overload'],
    [1205, 'ER_LOCK_WAIT_TIMEOUT', 'HY000', 'overload'],
    [1226, 'ER_USER_LIMIT_REACHED', '42000', 'overload'],
    [1317, 'ER_QUERY_INTERRUPTED', '70100', 'ignored'],
    [1969, undefined, '70100', 'overload'],
    [3024, 'ER_QUERY_TIMEOUT', 'HY000', 'overload'],
    [1047, 'ER_UNKNOWN_COM_ERROR', '08S01', 'overload'],
    [1062, 'ER_DUP_ENTRY', '23000', 'failed'],
    [1064, 'ER_PARSE_ERROR', '42000', 'failed'],
    [1146, 'ER_NO_SUCH_TABLE', '42S02', 'failed'],
    [1213, 'ER_LOCK_DEADLOCK', '40001', 'failed'],
    [1045, 'ER_ACCESS_DENIED_ERROR', '28000', 'failed'],
    [1290, 'ER_OPTION_PREVENTS_STATEMENT', 'HY000', 'failed'],
    [3572, 'ER_LOCK_NOWAIT', 'HY000', 'failed'],
  ])('%s %s (SQLSTATE %s) is %s', (errno, code, sqlState, outcome) => {
    expect(outcomeOfMysqlError(error({ errno, code, sqlState }))).toBe(outcome);
  });
});

describe('by what mysql2 and Node say', () => {
  test.each([
    [{ code: 'PROTOCOL_SEQUENCE_TIMEOUT', errorno: 'PROTOCOL_SEQUENCE_TIMEOUT' }, 'overload'],
    [{ code: 'PROTOCOL_CONNECTION_LOST', fatal: true }, 'overload'],
    [{ code: 'POOL_NONEONLINE' }, 'overload'],
    [{ code: 'POOL_NOEXIST' }, 'failed'],
    [{ code: 'ETIMEDOUT', errorno: 'ETIMEDOUT', syscall: 'connect' }, 'overload'],
    [{ code: 'ECONNREFUSED', errno: -111 }, 'overload'],
    [{ code: 'ECONNRESET', errno: -104 }, 'overload'],
    [{ code: 'EPIPE', errno: -32 }, 'overload'],
  ])('%j is %s', (properties, outcome) => {
    expect(outcomeOfMysqlError(error(properties))).toBe(outcome);
  });

  test('messages count where there is no code, and only there', () => {
    expect(outcomeOfMysqlError(new Error('Queue limit reached.'))).toBe('overload');
    expect(outcomeOfMysqlError(error({ errno: 1644, sqlState: '45000' }, 'Queue limit reached.'))).toBe(
      'failed',
    );
    expect(outcomeOfMysqlError(new Error('Pool is closed.'))).toBe('ignored');
    expect(outcomeOfMysqlError(new TypeError('Bind parameters must not contain undefined.'))).toBe('failed');
  });

  test("another limiter's rejection is ignored, and what is no error is failed", () => {
    const details = { limiter: 'other', operation: 'x', limit: 1, inFlight: 1, retryAfterMs: 1 };
    expect(outcomeOfMysqlError(new BackpressureError({ reason: 'limit', ...details }, false))).toBe(
      'ignored',
    );
    for (const value of [undefined, null, 'gone', 7]) expect(outcomeOfMysqlError(value)).toBe('failed');
  });
});

test("mysql2's own timeout is told from all others", () => {
  expect(isClientTimeout(error({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' }))).toBe(true);
  for (const other of [error({ code: 'ETIMEDOUT' }), error({ errno: 3024 }), undefined, null, 'timeout']) {
    expect(isClientTimeout(other)).toBe(false);
  }
});
