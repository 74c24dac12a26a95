import { expect, test } from 'vitest';
import { resolveAdaptive } from './adaptive-options.js';
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
    "floodgate: adaptive.controller must be a LimitController ({ limit, onWindow(window) }) or one of 'knee', 'aimd', 'vegas', 'gradient2', 'threshold', 'fixed', got 'pid' (string)",
  ],
  [
    { controller: {} },
    TypeError,
    "floodgate: adaptive.controller must be a LimitController ({ limit, onWindow(window) }) or one of 'knee', 'aimd', 'vegas', 'gradient2', 'threshold', 'fixed', got an object (Object)",
  ],
  [
    { controller: { limit: Number.NaN, onWindow() {} } },
    RangeError,
    'floodgate: adaptive.controller.limit must be a number of permits >= 1, got NaN (number)',
  ],
  [
    { controller: class Mine {} },
    TypeError,
    "floodgate: adaptive.controller must be a LimitController ({ limit, onWindow(window) }) or one of 'knee', 'aimd', 'vegas', 'gradient2', 'threshold', 'fixed', got function Mine: did you forget new, or to call it?",
  ],
  [
    class Mine {},
    TypeError,
    'floodgate: adaptive must be a boolean, an object of options or a LimitController, got function Mine: did you forget new, or to call it?',
  ],
  [
    { controller: { limit: 5, onWindow: 7 } },
    TypeError,
    'floodgate: adaptive.controller.onWindow must be a function, got 7 (number)',
  ],
  [
    { limit: 5, onWindow: undefined },
    TypeError,
    'floodgate: adaptive.controller.onWindow must be a function, got undefined',
  ],
  [
    { controller: { onWindow() {} } },
    TypeError,
    'floodgate: adaptive.controller.limit must be a number of permits >= 1, got undefined',
  ],
  [{ initial: 0 }, RangeError, 'floodgate: adaptive.initial must be an integer >= 1, got 0 (number)'],
  [
    { targetLatencyMs: 0 },
    RangeError,
    'floodgate: adaptive.targetLatencyMs must be a number of milliseconds > 0, at most 2147483647 (leave it out for no guard), got 0 (number)',
  ],
  [
    { targetPoolWaitMs: 0 },
    RangeError,
    'floodgate: adaptive.targetPoolWaitMs must be a number of milliseconds > 0, at most 2147483647 (leave it out for no guard), got 0 (number)',
  ],
  [
    { initialLimit: 5 },
    TypeError,
    "floodgate: unknown adaptive option 'initialLimit' (did you mean 'initial'?)",
  ],
  [{ minLimit: 5 }, TypeError, "floodgate: unknown adaptive option 'minLimit' (did you mean 'min'?)"],
  [{ maxLimit: 5 }, TypeError, "floodgate: unknown adaptive option 'maxLimit' (did you mean 'max'?)"],
  [
    { maxConcurrentOps: 5 },
    TypeError,
    "floodgate: unknown adaptive option 'maxConcurrentOps' (did you mean 'max'?)",
  ],
  [{ observ: true }, TypeError, "floodgate: unknown adaptive option 'observ' (did you mean 'observe'?)"],
  [
    { maxErrorRatio: 2 },
    RangeError,
    'floodgate: adaptive.maxErrorRatio must be a number from 0 to 1, got 2 (number)',
  ],
  [
    { windowMs: 1 },
    RangeError,
    'floodgate: adaptive.windowMs must be a number of milliseconds from 50 to 2147483647, got 1 (number)',
  ],
])('refuses adaptive: %o', (adaptive, kind, message) => {
  const make = () => new Limiter({ maxConcurrentOps: 100, adaptive: adaptive as never });
  expect(make).toThrow(kind);
  expect(make).toThrow(message);
});

test('a maxErrorRatio of 0 is a guard: no overload at all', () => {
  expect(resolveAdaptive({ maxErrorRatio: 0 }, 100)).toMatchObject({ maxErrorRatio: 0 });
});

test('initial goes before the limit of a controller, and that before 20', () => {
  const controller = { limit: 7.9, onWindow: () => ({ limit: 7, reason: '' }) };
  const initials = [
    {},
    controller,
    { controller },
    { controller, initial: 9 },
    { controller, min: 8 },
    { controller, max: 3 },
  ];
  expect(initials.map((adaptive) => resolveAdaptive(adaptive, 100)!.initial)).toEqual([20, 7, 7, 9, 8, 3]);
});
