import { describe, expect, test } from 'vitest';
import { Limiter } from './limiter.js';
import { oneOf } from './option-checks.js';

class Settings {}

describe('Limiter options', () => {
  test('all have defaults', () => {
    const { options } = new Limiter().gate;
    expect(options).toEqual({
      name: 'floodgate',
      maxConcurrentOps: 1000,
      bulkheads: {},
      retryAfterMs: 1000,
      stackTraces: false,
      classify: undefined,
      now: undefined,
    });
  });

  test('given as undefined are not given', () => {
    const options = {
      name: undefined,
      maxConcurrentOps: undefined,
      bulkheads: undefined,
      retryAfterMs: undefined,
    };
    const limiter = new Limiter({ ...options, stackTraces: undefined, classify: undefined, now: undefined });
    expect(limiter.gate.options).toEqual(new Limiter().gate.options);
  });

  test.each([1, 2, 500, Number.MAX_SAFE_INTEGER])('maxConcurrentOps may be %d', (maxConcurrentOps) => {
    expect(new Limiter({ maxConcurrentOps }).limit).toBe(maxConcurrentOps);
  });

  test.each([
    [{ maxConcurrentOps: 0 }, RangeError, 'maxConcurrentOps must be an integer >= 1, got 0 (number)'],
    [{ maxConcurrentOps: -1 }, RangeError, 'maxConcurrentOps must be an integer >= 1, got -1 (number)'],
    [{ maxConcurrentOps: 1.5 }, RangeError, 'maxConcurrentOps must be an integer >= 1, got 1.5 (number)'],
    [
      { maxConcurrentOps: Number.NaN },
      RangeError,
      'maxConcurrentOps must be an integer >= 1, got NaN (number)',
    ],
    [
      { maxConcurrentOps: Number.POSITIVE_INFINITY },
      RangeError,
      'maxConcurrentOps must be an integer >= 1, got Infinity (number)',
    ],
    [
      { maxConcurrentOps: 2 ** 53 },
      RangeError,
      'maxConcurrentOps must be an integer >= 1, got 9007199254740992 (number)',
    ],
    [{ maxConcurrentOps: '500' }, TypeError, "maxConcurrentOps must be an integer >= 1, got '500' (string)"],
    [{ maxConcurrentOps: null }, TypeError, 'maxConcurrentOps must be an integer >= 1, got null'],
    [{ maxConcurrentOps: 5n }, TypeError, 'maxConcurrentOps must be an integer >= 1, got 5 (bigint)'],
    [{ maxConcurrentOps: true }, TypeError, 'maxConcurrentOps must be an integer >= 1, got true (boolean)'],
    [{ maxConcurrentOps: [5] }, TypeError, 'maxConcurrentOps must be an integer >= 1, got an array'],
    [
      { maxConcurrentOps: new Settings() },
      TypeError,
      'maxConcurrentOps must be an integer >= 1, got an object (Settings)',
    ],
    [
      { maxConcurrentOps: Object.create(null) },
      TypeError,
      'maxConcurrentOps must be an integer >= 1, got an object (no prototype)',
    ],
    [{ maxConcurrentOps: Math.max }, TypeError, 'maxConcurrentOps must be an integer >= 1, got function max'],
    [
      { maxConcurrentOps: Symbol('n') },
      TypeError,
      'maxConcurrentOps must be an integer >= 1, got Symbol(n) (symbol)',
    ],
    [
      { maxConcurentOps: 5 },
      TypeError,
      "unknown Limiter option 'maxConcurentOps' (did you mean 'maxConcurrentOps'?)",
    ],
    [
      { MaxConcurrentOps: 5 },
      TypeError,
      "unknown Limiter option 'MaxConcurrentOps' (did you mean 'maxConcurrentOps'?)",
    ],
    [
      { concurrency: 5 },
      TypeError,
      "unknown Limiter option 'concurrency' (did you mean 'maxConcurrentOps'?)",
    ],
    [
      { toString: 5 },
      TypeError,
      "unknown Limiter option 'toString' (known: name, maxConcurrentOps, bulkheads, retryAfterMs, stackTraces, classify, now)",
    ],
    [{ name: '' }, RangeError, "name must be a non-empty string, got '' (string)"],
    [{ name: 5 }, TypeError, 'name must be a non-empty string, got 5 (number)'],
    [
      { retryAfterMs: -1 },
      RangeError,
      'retryAfterMs must be a number of milliseconds from 0 to 2147483647, got -1 (number)',
    ],
    [
      { retryAfterMs: '1s' },
      TypeError,
      "retryAfterMs must be a number of milliseconds from 0 to 2147483647, got '1s' (string)",
    ],
    [{ stackTraces: 'yes' }, TypeError, "stackTraces must be a boolean, got 'yes' (string)"],
    [{ classify: 'overload' }, TypeError, "classify must be a function, got 'overload' (string)"],
    [{ now: 0 }, TypeError, 'now must be a function, got 0 (number)'],
    [{ bulkheads: 5 }, TypeError, 'bulkheads must be an object of class names and caps, got 5 (number)'],
    [{ bulkheads: null }, TypeError, 'bulkheads must be an object of class names and caps, got null'],
    [{ bulkheads: [5] }, TypeError, 'bulkheads must be an object of class names and caps, got an array'],
    [
      { bulkheads: { scan: 0 } },
      RangeError,
      'bulkheads.scan must be an integer from 1 to 1000, got 0 (number)',
    ],
    [
      { bulkheads: { scan: 1001 } },
      RangeError,
      'bulkheads.scan must be an integer from 1 to 1000, got 1001 (number)',
    ],
    [
      { maxConcurrentOps: 5, bulkheads: { scan: 6 } },
      RangeError,
      'bulkheads.scan must be an integer from 1 to 5, got 6 (number)',
    ],
    [
      { bulkheads: { scan: '5' } },
      TypeError,
      "bulkheads.scan must be an integer from 1 to 1000, got '5' (string)",
    ],
    [
      { capacity: 5 },
      TypeError,
      "unknown Limiter option 'capacity' (known: name, maxConcurrentOps, bulkheads, retryAfterMs, stackTraces, classify, now)",
    ],
    [null, TypeError, 'Limiter options must be an object, got null'],
    [500, TypeError, 'Limiter options must be an object, got 500 (number)'],
    [[500], TypeError, 'Limiter options must be an object, got an array'],
    [() => 500, TypeError, 'Limiter options must be an object, got a function'],
  ])('%o throw', (options, type, message) => {
    const make = () => new Limiter(options as never);
    expect(make).toThrow(type);
    expect(make).toThrow(new type(`floodgate: ${message}`));
  });
});

describe('oneOf', () => {
  const check = oneOf('fifo', 'lifo');
  test.each([
    ['random', RangeError, "order must be one of 'fifo', 'lifo', got 'random' (string)"],
    [1, TypeError, "order must be one of 'fifo', 'lifo', got 1 (number)"],
  ])('refuses %o', (value, type, message) => {
    expect(() => check('order', value)).toThrow(new type(`floodgate: ${message}`));
  });
  test('takes what is listed', () => {
    expect(check('order', 'lifo')).toBe(undefined);
  });
});
