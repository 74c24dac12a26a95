import { expect, test } from 'vitest';
import { Limiter } from './limiter.js';

test.each([
  [
    5,
    TypeError,
    'floodgate: adaptive must be a boolean, an object of options or a LimitController, got 5 (number)',
  ],
  [
    [],
    TypeError,
    'floodgate: adaptive must be a boolean, an object of options or a LimitController, got an array',
  ],
  [{ max: 101 }, RangeError, 'floodgate: adaptive.max must be an integer from 1 to 100, got 101 (number)'],
  [{ min: 9, max: 8 }, RangeError, 'floodgate: adaptive.min must be an integer from 1 to 8, got 9 (number)'],
  [
    { initial: 9, max: 8 },
    RangeError,
    'floodgate: adaptive.initial must be an integer from 1 to 8, got 9 (number)',
  ],
  [
    { fallback: 50, max: 30 },
    RangeError,
    'floodgate: adaptive.fallback must be an integer from 1 to 30, got 50 (number)',
  ],
  [
    { controller: 'pid' },
    RangeError,
    "floodgate: controller must be a LimitController or one of 'knee', 'aimd', 'vegas', 'gradient2', 'threshold', 'fixed', got 'pid' (string)",
  ],
  [
    { controller: {} },
    TypeError,
    "floodgate: controller must be a LimitController or one of 'knee', 'aimd', 'vegas', 'gradient2', 'threshold', 'fixed', got an object (Object)",
  ],
  [
    { controller: { limit: Number.NaN, onWindow() {} } },
    RangeError,
    'floodgate: controller.limit must be a number of permits >= 1, got NaN (number)',
  ],
  [{ observ: true }, TypeError, "floodgate: unknown adaptive option 'observ' (did you mean 'observe'?)"],
  [{ maxErrorRatio: 2 }, RangeError, 'floodgate: maxErrorRatio must be a number from 0 to 1, got 2 (number)'],
  [
    { windowMs: 1 },
    RangeError,
    'floodgate: windowMs must be a number of milliseconds from 50 to 2147483647, got 1 (number)',
  ],
])('refuses adaptive: %o', (adaptive, kind, message) => {
  const make = () => new Limiter({ maxConcurrentOps: 100, adaptive: adaptive as never });
  expect(make).toThrow(kind);
  expect(make).toThrow(message);
});
