import { describe, expect, test } from 'vitest';
import { BackpressureError } from './backpressure-error.js';
import { outcomeOfSystemError } from './system-errors.js';

const refused = new BackpressureError({
  reason: 'limit',
  limiter: 'other',
  operation: 'query',
  limit: 1,
  inFlight: 1,
  retryAfterMs: 1000,
});

describe('outcomeOfSystemError', () => {
  test.each([
    ['ECONNREFUSED', 'overload'],
    ['ECONNRESET', 'overload'],
    ['ECONNABORTED', 'overload'],
    ['ETIMEDOUT', 'overload'],
    ['EPIPE', 'overload'],
    ['EHOSTUNREACH', 'overload'],
    ['EHOSTDOWN', 'overload'],
    ['ENETUNREACH', 'overload'],
    ['ENETDOWN', 'overload'],
    ['EAI_AGAIN', 'overload'],
    ['EMFILE', 'overload'],
    ['ABORT_ERR', 'ignored'],
    ['ERR_CANCELED', 'ignored'],
    ['ENOTFOUND', undefined],
    ['23505', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
    [404, undefined],
  ])('code %s is %s', (code, outcome) => {
    expect(outcomeOfSystemError(Object.assign(new Error('x'), { code }))).toBe(outcome);
  });

  test.each([
    ['TimeoutError', 'overload'],
    ['AbortError', 'ignored'],
    ['Error', undefined],
    ['toString', undefined],
  ])('name %s is %s', (name, outcome) => {
    expect(outcomeOfSystemError(Object.assign(new Error('x'), { name }))).toBe(outcome);
  });

  test('knows what AbortSignal gives as reasons', () => {
    expect(outcomeOfSystemError(AbortSignal.abort().reason)).toBe('ignored');
    expect(outcomeOfSystemError(new DOMException('late', 'TimeoutError'))).toBe('overload');
  });

  test('the code goes before the name', () => {
    expect(outcomeOfSystemError({ code: 'ECONNRESET', name: 'AbortError' })).toBe('overload');
  });

  test("another limiter's rejection is ignored, also when an ORM wrapped it", () => {
    expect(outcomeOfSystemError(refused)).toBe('ignored');
    expect(outcomeOfSystemError(new Error('query failed', { cause: refused }))).toBe('ignored');
  });

  test.each([undefined, null, 'ECONNREFUSED', 7])('%o says nothing', (error) => {
    expect(outcomeOfSystemError(error)).toBe(undefined);
  });
});
