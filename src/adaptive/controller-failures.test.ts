import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { resolveAdaptive } from './adaptive-options.js';
import type { SampleWindow } from './controller.js';
import { Governor } from './governor.js';
import { windowOf } from './testing/window-of.js';

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
});
afterEach(() => {
  vi.restoreAllMocks();
});

function governorOf(onWindow: (window: SampleWindow) => unknown, limiter = 'pg'): Governor {
  const controller = { limit: 20, onWindow: onWindow as never };
  return new Governor(resolveAdaptive({ controller }, 1000)!, 0, limiter);
}

test.each<[what: string, answer: () => unknown]>([
  ['answered the limit NaN (number)', () => ({ limit: Number.NaN, reason: '' })],
  ['answered the limit Infinity (number)', () => ({ limit: Number.POSITIVE_INFINITY, reason: '' })],
  ["answered the limit '5' (string)", () => ({ limit: '5', reason: '' })],
  ['answered an object (Object)', () => ({ reason: 'forgotten' })],
  ['answered 7 (number)', () => 7],
  ['answered undefined', () => undefined],
  ['answered an object (Promise)', () => Promise.reject(new Error('asynchronous'))],
  [
    'threw broken',
    () => {
      throw new Error('broken\nin two');
    },
  ],
  [
    'threw null',
    () => {
      throw null;
    },
  ],
])('a controller that %s holds the limit, and says so', (what, answer) => {
  const governor = governorOf(answer);
  expect(governor.onWindow(windowOf())).toEqual({ limit: 20, reason: `the controller ${what}: limit held` });
  expect(governor.verdict).toBe('controller-failed');
  expect(warnings).toEqual([
    expect.stringContaining(
      `limiter 'pg': the controller ${what}. The limit is held, and the controller is asked again at the next window.`,
    ),
  ]);
});

test('what it has thrown is cut short in the reason, and whole in the warning', () => {
  const long = 'x'.repeat(200);
  const { reason } = governorOf(() => {
    throw new Error(long);
  }).onWindow(windowOf());
  expect(reason).toBe(`the controller threw ${'x'.repeat(80)}...: limit held`);
  expect(warnings[0]).toContain(`Error: ${long}\n    at `);
});

test('each limiter warns once, and asks again at the next window', () => {
  let broken = true;
  const flaky = () => (broken ? undefined : { limit: 30, reason: 'well again' });
  const [orders, search] = [governorOf(flaky, 'orders'), governorOf(flaky, 'search')];
  for (const governor of [orders, orders, search, search]) governor.onWindow(windowOf());
  expect(warnings.map((warning) => warning.slice(0, 16))).toEqual(["limiter 'orders'", "limiter 'search'"]);
  broken = false;
  expect(orders.onWindow(windowOf())).toEqual({ limit: 30, reason: 'well again' });
  expect(orders.verdict).toBe('used');
});

test.each([
  [{ limit: 30 }, 'the controller gave no reason'],
  [{ limit: 30, reason: null }, 'the controller gave no reason'],
  [{ limit: 30, reason: 7 }, '7'],
])('the answer %o is taken, with a text for a reason', (answer, reason) => {
  expect(governorOf(() => answer).onWindow(windowOf())).toEqual({ limit: 30, reason });
  expect(warnings).toEqual([]);
});
