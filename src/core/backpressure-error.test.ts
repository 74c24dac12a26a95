import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type BackpressureDetails, BackpressureError, type RejectReason } from './backpressure-error.js';
import { Limiter } from './limiter.js';

const DETAILS: BackpressureDetails = {
  reason: 'limit',
  limiter: 'orders',
  operation: 'query',
  limit: 10,
  inFlight: 10,
  retryAfterMs: 1000,
};

function rejectionOf(limiter: Limiter): BackpressureError {
  try {
    limiter.acquire();
  } catch (error) {
    return error as BackpressureError;
  }
  throw new Error('admitted');
}

describe('BackpressureError', () => {
  test('tells who refused what, why, and when to come back', () => {
    const error = new BackpressureError(DETAILS);
    expect(error.toJSON()).toEqual({
      name: 'BackpressureError',
      code: 'ERR_BACKPRESSURE',
      statusCode: 503,
      message: 'orders: query rejected, every permit is taken (10 in flight, limit 10)',
      reason: 'limit',
      limiter: 'orders',
      operation: 'query',
      operationClass: 'default',
      limit: 10,
      inFlight: 10,
      weight: 1,
      retryAfterMs: 1000,
      retryAfterSeconds: 1,
    });
    const fields = Object.fromEntries(
      Object.keys(error.toJSON()).map((key) => [key, Reflect.get(error, key)]),
    );
    expect(fields).toEqual(error.toJSON());
    expect(JSON.parse(JSON.stringify(error))).toEqual(error.toJSON());
    expect(error instanceof Error).toBe(true);
    expect(String(error)).toBe(`BackpressureError: ${error.message}`);
  });

  test('of a weighted operation says what it needs, where some permits are free', () => {
    const limiter = new Limiter({ maxConcurrentOps: 5, name: 'orders' });
    limiter.acquire({ weight: 3 });
    expect(() => limiter.acquire({ weight: 3, operation: 'batch' })).toThrow(
      expect.objectContaining({
        message: 'orders: batch rejected, it needs 3 permits, 2 of 5 are free (3 in flight, limit 5)',
        weight: 3,
      }),
    );
    limiter.acquire({ weight: 2 });
    expect(() => limiter.acquire({ weight: 3 })).toThrow('every permit is taken (5 in flight, limit 5)');
  });

  test.each<[RejectReason, string]>([
    ['limit', 'every permit is taken'],
    ['bulkhead', 'its share is taken'],
    ['priority', "the priority's share is taken"],
    ['tenant', "the tenant's share is taken"],
    ['queue-full', 'the queue is full'],
    ['queue-timeout', 'the wait in the queue was too long'],
    ['shedding', 'unimportant work is being shed'],
    ['draining', 'the limiter is draining'],
  ])('with reason %s says that %s', (reason, text) => {
    expect(new BackpressureError({ ...DETAILS, reason }).message).toBe(
      `orders: query rejected, ${text} (10 in flight, limit 10)`,
    );
  });

  test.each([
    [0, 1],
    [1, 1],
    [999, 1],
    [1000, 1],
    [1001, 2],
    [1500.5, 2],
    [60_000, 60],
  ])('%d ms is a Retry-After of %d s', (retryAfterMs, seconds) => {
    expect(new BackpressureError({ ...DETAILS, retryAfterMs }).retryAfterSeconds).toBe(seconds);
  });

  test('carries the retryAfterMs of its limiter', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1, retryAfterMs: 2500 });
    limiter.acquire();
    expect(rejectionOf(limiter)).toMatchObject({ retryAfterMs: 2500, retryAfterSeconds: 3 });
  });

  test('is a fresh one for each rejection', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    expect(rejectionOf(limiter)).not.toBe(rejectionOf(limiter));
  });

  test('shows its figures and nothing else when logged', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1, classify: () => 'failed' });
    limiter.acquire({ operationClass: 'secret-class' });
    const error = rejectionOf(limiter);
    const own = [
      'code',
      'inFlight',
      'limit',
      'limiter',
      'operation',
      'operationClass',
      'reason',
      'retryAfterMs',
      'statusCode',
      'weight',
    ];
    expect(Object.keys(error).sort()).toEqual(own);
    expect(Object.getOwnPropertyNames(error).sort()).toEqual([...own, 'message', 'stack'].sort());
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toMatch(/secret|Gate|classify/);
  });

  test('can be extended, cloned and given a stack by a driver (pg-pool does)', () => {
    const error = new BackpressureError(DETAILS);
    expect(Object.isExtensible(error)).toBe(true);
    expect(structuredClone(error).message).toBe(error.message);
    Error.captureStackTrace(error);
    expect(error.stack).toContain('backpressure-error.test.ts');
    Object.assign(error, { client: 1, stack: 'replaced' });
    expect(error.stack).toBe('replaced');
  });
});

describe('the stack of a BackpressureError', () => {
  const { stackTraceLimit } = Error;
  afterEach(() => {
    Object.defineProperty(Error, 'stackTraceLimit', { value: stackTraceLimit, writable: true });
  });

  test('is the one line of its message', () => {
    const error = new BackpressureError(DETAILS);
    expect(error.stack?.split('\n')).toEqual([
      expect.stringMatching(/^(BackpressureError|Error): orders: query rejected/),
    ]);
  });

  test('leads to the caller with stackTraces: true', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1, stackTraces: true });
    limiter.acquire();
    expect(rejectionOf(limiter).stack).toContain('rejectionOf');
    const error = await limiter.run(() => 1).catch((reason) => reason);
    expect(error.stack).toContain('backpressure-error.test.ts');
  });

  test.each([0, 7, 100, Number.POSITIVE_INFINITY])('leaves Error.stackTraceLimit at %d', (limit) => {
    Error.stackTraceLimit = limit;
    new BackpressureError(DETAILS);
    expect(Error.stackTraceLimit).toBe(limit);
  });

  test('leaves Error.stackTraceLimit as it was when its details cannot be printed', () => {
    Error.stackTraceLimit = 12;
    expect(() => new BackpressureError({ ...DETAILS, operation: Symbol('q') as never })).toThrow(TypeError);
    expect(Error.stackTraceLimit).toBe(12);
  });

  test('does not matter where Error.stackTraceLimit cannot be written (hardened processes)', () => {
    Object.defineProperty(Error, 'stackTraceLimit', { writable: false });
    expect(new BackpressureError(DETAILS).limit).toBe(10);
  });
});

describe('instanceof BackpressureError', () => {
  async function secondCopy() {
    vi.resetModules();
    return import('./backpressure-error.js');
  }

  test('holds across two copies of the package, both ways', async () => {
    const copy = await secondCopy();
    expect(copy.BackpressureError).not.toBe(BackpressureError);
    expect(new copy.BackpressureError(DETAILS) instanceof BackpressureError).toBe(true);
    expect(new BackpressureError(DETAILS) instanceof copy.BackpressureError).toBe(true);
  });

  test('keeps the ordinary meaning for subclasses', () => {
    class OrdersBusy extends BackpressureError {}
    class OtherBusy extends BackpressureError {}
    const busy = new OrdersBusy(DETAILS);
    expect([
      busy instanceof OrdersBusy,
      busy instanceof BackpressureError,
      busy instanceof OtherBusy,
    ]).toEqual([true, true, false]);
    expect(new BackpressureError(DETAILS) instanceof OrdersBusy).toBe(false);
  });

  test.each([
    undefined,
    null,
    5,
    'ERR_BACKPRESSURE',
    {},
    new Error('x'),
    { code: 'ERR_BACKPRESSURE' },
    () => {},
  ])('does not hold for %o', (value) => {
    expect(value instanceof BackpressureError).toBe(false);
  });
});
