import { describe, expect, test } from 'vitest';
import { BackpressureError } from '../../core/backpressure-error.js';
import { AEROSPIKE_OUTCOMES, outcomeOfAerospikeError, outcomeOfStatus } from './outcomes.js';

const rows = AEROSPIKE_OUTCOMES.flatMap(({ outcome, source, statuses }) =>
  Object.entries(statuses).map(([status, name]) => ({ status: Number(status), name, outcome, source })),
);

describe('every row of the outcome table', () => {
  test.each(rows)('$status $name: $outcome', ({ status, outcome, source }) => {
    expect(outcomeOfStatus(status)).toBe(outcome);
    expect(outcomeOfAerospikeError({ code: status, message: '' })).toBe(outcome);
    expect(source.length).toBeGreaterThan(20);
  });

  test('stands there once', () => {
    expect(new Set(rows.map(({ status }) => status)).size).toBe(rows.length);
  });
});

describe('overload is', () => {
  test.each([-14, -12, -11, -10, -8, -7, -6, -15, 7, 8, 9, 11, 14, 18, 83, 152, 202, 211, 212])(
    '%i',
    (status) => {
      expect(outcomeOfStatus(status)).toBe('overload');
    },
  );
});

describe('what is not in the table', () => {
  test('is of the client below 0, and of the server above', () => {
    expect([outcomeOfStatus(-99), outcomeOfStatus(99)]).toEqual(['ignored', 'failed']);
  });

  test('may be a system error, another limiter’s rejection or anything', () => {
    const details = { reason: 'limit', limiter: 'x', operation: 'x', limit: 1, inFlight: 1, retryAfterMs: 0 };
    expect(outcomeOfAerospikeError({ code: 'ECONNRESET' })).toBe('overload');
    expect(outcomeOfAerospikeError(new BackpressureError({ ...details, reason: 'limit' }))).toBe('ignored');
    expect(outcomeOfAerospikeError(new Error('x'))).toBe('failed');
    expect(outcomeOfAerospikeError(undefined)).toBe('failed');
  });
});
