import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BackpressureError } from '../core/backpressure-error.js';
import { findBackpressure } from './find-backpressure.js';

function rejection(limiter = 'orders'): BackpressureError {
  const figures = { limit: 10, inFlight: 10, retryAfterMs: 1000 };
  return new BackpressureError({ reason: 'limit', limiter, operation: 'query', ...figures });
}

const KEYS = ['cause', 'original', 'parent', 'driverError'] as const;

describe('findBackpressure', () => {
  test('finds the error itself', () => {
    const error = rejection();
    expect(findBackpressure(error)).toBe(error);
  });

  test.each(KEYS)('finds what is wrapped under %s', (key) => {
    const error = rejection();
    expect(findBackpressure(Object.assign(new Error('orm'), { [key]: error }))).toBe(error);
    expect(findBackpressure({ [key]: { [key]: error } })).toBe(error);
  });

  test('finds one among the errors of an AggregateError, and in what wraps that', () => {
    const error = rejection();
    const all = new AggregateError([new Error('refused'), new Error('orm', { cause: error })], 'all failed');
    expect(findBackpressure(all)).toBe(error);
    expect(findBackpressure(new Error('service', { cause: all }))).toBe(error);
  });

  test('recognises one of another copy of the package', () => {
    const brand = Symbol.for('floodgate.BackpressureError');
    const foreign = Object.assign(new Error('orders: query rejected'), { [brand]: true, retryAfterMs: 1000 });
    expect(findBackpressure(new Error('orm', { cause: foreign }))).toBe(foreign);
  });

  test('gives the nearest of several', () => {
    const [near, far] = [rejection('near'), rejection('far')];
    const error = Object.assign(new Error('a', { cause: new Error('b', { cause: far }) }), { parent: near });
    expect(findBackpressure(error)).toBe(near);
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
    expect(findBackpressure(error)).toBe(undefined);
  });

  test('ends on cycles', () => {
    const [one, two] = [new Error('one'), new Error('two')];
    one.cause = two;
    two.cause = new AggregateError([one, two]);
    expect(findBackpressure(one)).toBe(undefined);
    Object.assign(two, { parent: rejection() });
    expect(findBackpressure(one)).toBe(Reflect.get(two, 'parent'));
  });

  test('looks at 64 errors and no more, deep or wide', () => {
    const nest = (depth: number): Error =>
      depth === 0 ? rejection() : new Error('wrapper', { cause: nest(depth - 1) });
    // A wrapper adds its cause, and one `undefined` for all of them together.
    expect(findBackpressure(nest(62))).toBeInstanceOf(BackpressureError);
    expect(findBackpressure(nest(63))).toBe(undefined);
    const wide = Array.from({ length: 1000 }, () => new Error('one of many'));
    let looks = 0;
    for (const error of wide) {
      Object.defineProperty(error, 'cause', { get: () => void looks++ });
    }
    expect(findBackpressure(new AggregateError([...wide, rejection()]))).toBe(undefined);
    expect(looks).toBeLessThan(64);
    expect(looks).toBeGreaterThan(55);
  });

  test('does not throw where an error does', () => {
    const hostile = new Error('hostile');
    Object.defineProperty(hostile, 'cause', {
      get: () => {
        throw new Error('no');
      },
    });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(findBackpressure(hostile)).toBe(undefined);
    expect(findBackpressure(proxy)).toBe(undefined);
  });

  test('property: finds it through any nesting, and nothing where there is none', () => {
    const step = fc.constantFrom(...KEYS, 'errors' as const);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.boolean(), (steps, wrapped) => {
        const core = wrapped ? rejection() : new Error('boom');
        const outermost = steps.reduce<Error>(
          (inner, key) =>
            key === 'errors'
              ? new AggregateError([new Error('beside'), inner])
              : Object.assign(new Error('wrapper'), { [key]: inner }),
          core,
        );
        expect(findBackpressure(outermost)).toBe(wrapped ? core : undefined);
      }),
    );
  });
});
