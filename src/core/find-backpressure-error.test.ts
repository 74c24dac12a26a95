import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { BackpressureError } from './backpressure-error.js';
import { findBackpressureError, findInAggregates, isBackpressureError } from './find-backpressure-error.js';

function rejection(limiter = 'orders'): BackpressureError {
  const figures = { limit: 10, inFlight: 10, retryAfterMs: 1000 };
  return new BackpressureError({ reason: 'limit', limiter, operation: 'query', ...figures });
}

/** An object on which reading any of these properties throws. */
function hostile(keys: readonly PropertyKey[], fields: object = {}): object {
  const error = Object.assign(new Error('hostile'), fields);
  for (const key of keys) {
    Object.defineProperty(error, key, {
      get: () => {
        throw new Error(`no ${String(key)}`);
      },
    });
  }
  return error;
}

const KEYS = ['cause', 'original', 'parent', 'driverError'] as const;
const FINDERS = [
  ['findBackpressureError', findBackpressureError],
  ['findInAggregates', findInAggregates],
] as const;

describe.each(FINDERS)('%s', (_, find) => {
  test('finds the error itself', () => {
    const error = rejection();
    expect(find(error)).toBe(error);
    expect(isBackpressureError(error)).toBe(true);
  });

  test.each(KEYS)('finds what is wrapped under %s', (key) => {
    const error = rejection();
    const wrapped = Object.assign(new Error('orm'), { [key]: error });
    expect(find(wrapped)).toBe(error);
    expect(find({ [key]: { [key]: error } })).toBe(error);
    expect(isBackpressureError(wrapped)).toBe(true);
  });

  test('recognises one of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('./backpressure-error.js');
    const { limiter, operation, limit, inFlight, retryAfterMs } = rejection();
    const details = { reason: 'limit', limiter, operation, limit, inFlight, retryAfterMs } as const;
    const foreign = new copy.BackpressureError(details);
    expect(foreign.constructor).not.toBe(BackpressureError);
    expect(find(new Error('orm', { cause: foreign }))).toBe(foreign);
  });

  test('looks into errors of another realm, and finds theirs', () => {
    const error = rejection();
    expect(find(runInNewContext("new Error('orm', { cause })", { cause: error }))).toBe(error);
    const foreign = runInNewContext(
      "Object.assign(new Error('rejected'), { [Symbol.for('floodgate.BackpressureError')]: true })",
    );
    expect(foreign instanceof Error).toBe(false);
    expect(find(new Error('orm', { cause: foreign }))).toBe(foreign);
  });

  test('gives the nearest of several', () => {
    const [near, far] = [rejection('near'), rejection('far')];
    const error = Object.assign(new Error('a', { cause: new Error('b', { cause: far }) }), { parent: near });
    expect(find(error)).toBe(near);
  });

  test('finds it in frozen errors', () => {
    const error = Object.freeze(rejection());
    expect(find(Object.freeze(new Error('orm', { cause: error })))).toBe(error);
  });

  test.each([
    ['an error', new Error('boom')],
    ['what wraps an error', new Error('boom', { cause: new TypeError('bang') })],
    [
      'one that only looks like it',
      Object.assign(new Error('x'), { code: 'ERR_BACKPRESSURE', statusCode: 503 }),
    ],
    ['its JSON', new Error('remote', { cause: rejection().toJSON() })],
    ['undefined', undefined],
    ['null', null],
    ['a string', 'rejected'],
    ['an empty AggregateError', new AggregateError([])],
    ['errors that are no array', { errors: 'many' }],
  ])('finds nothing in %s', (_, error) => {
    expect(find(error)).toBe(undefined);
    expect(isBackpressureError(error)).toBe(false);
  });

  test('ends on cycles', () => {
    const [one, two] = [new Error('one'), new Error('two')];
    one.cause = two;
    two.cause = one;
    Object.assign(two, { original: two, driverError: new AggregateError([one, two]) });
    expect(find(one)).toBe(undefined);
    Object.assign(two, { parent: rejection() });
    expect(find(one)).toBe(Reflect.get(two, 'parent'));
  });

  test('looks at 64 errors and no more', () => {
    const nest = (depth: number): Error =>
      depth === 0 ? rejection() : new Error('wrapper', { cause: nest(depth - 1) });
    expect(find(nest(63))).toBeInstanceOf(BackpressureError);
    expect(find(nest(64))).toBe(undefined);
  });

  test('does not throw where an error does, and goes on beside it', () => {
    const error = rejection();
    expect(find(hostile(['cause', 'errors']))).toBe(undefined);
    expect(find(hostile(['cause', 'original', 'driverError'], { parent: error }))).toBe(error);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(find(proxy)).toBe(undefined);
    expect(find({ cause: proxy, original: error })).toBe(error);
    const brand = Symbol.for('floodgate.BackpressureError');
    expect(find(hostile([brand], { cause: error }))).toBe(error);
  });

  test('property: finds it through any nesting, and nothing where there is none', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...KEYS), { maxLength: 12 }), fc.boolean(), (steps, wrapped) => {
        const core = wrapped ? rejection() : new Error('boom');
        const outermost = steps.reduce<Error>(
          (inner, key) => Object.assign(new Error('wrapper'), { [key]: inner }),
          core,
        );
        expect(find(outermost)).toBe(wrapped ? core : undefined);
      }),
    );
  });
});

describe('the errors of an AggregateError', () => {
  const error = rejection();
  const all = new AggregateError([new Error('refused'), new Error('orm', { cause: error })], 'all failed');
  const service = new Error('service', { cause: all });

  test('are looked at by findInAggregates', () => {
    expect(findInAggregates(all)).toBe(error);
    expect(findInAggregates(service)).toBe(error);
  });

  test('are not by findBackpressureError: who retries would do again what has been done', () => {
    expect([findBackpressureError(all), findBackpressureError(service)]).toEqual([undefined, undefined]);
    expect(isBackpressureError(all)).toBe(false);
    expect(findBackpressureError({ cause: [error] })).toBe(undefined);
    expect(findBackpressureError(new AggregateError([], 'none', { cause: error }))).toBe(error);
  });

  test('are bounded, too', () => {
    const wide = Array.from({ length: 1000 }, () => new Error('one of many'));
    let looks = 0;
    for (const each of wide) Object.defineProperty(each, 'cause', { get: () => void looks++ });
    expect(findInAggregates(new AggregateError([...wide, rejection()]))).toBe(undefined);
    expect(looks).toBe(63);
  });

  test('may throw, too', () => {
    class Lazy extends Array<unknown> {
      override [Symbol.iterator](): never {
        throw new Error('no');
      }
    }
    expect(findInAggregates({ errors: Lazy.of(new Error('x'), error) })).toBe(error);
    expect(findInAggregates({ errors: hostile(['length']) })).toBe(undefined);
    expect(
      findInAggregates({
        errors: Object.defineProperty([1], 0, { get: () => Reflect.get(hostile(['x']), 'x') }),
      }),
    ).toBe(undefined);
  });
});
