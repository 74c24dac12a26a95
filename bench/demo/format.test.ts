import { expect, test } from 'vitest';
import { count, duration, percent, perSecond } from './format.js';

test('large numbers are grouped and rounded', () => {
  expect(count(28_123.4)).toBe('28,123');
  expect(perSecond(948.6)).toBe('949/s');
});

test('a share near all or nothing keeps the digit that says so', () => {
  expect([0, 0.0004, 0.004, 0.42, 0.995, 0.9996, 1, 1.01].map(percent)).toEqual([
    '0 %',
    '0.1 %',
    '0.4 %',
    '42 %',
    '99.5 %',
    '99.9 %',
    '100 %',
    '101 %',
  ]);
});

test('a time has two or three digits and the unit that fits', () => {
  expect([0.44, 9.96, 41.2, 994, 996, 8123, 28_600].map(duration)).toEqual([
    '0.4 ms',
    '10 ms',
    '41 ms',
    '994 ms',
    '1.0 s',
    '8.1 s',
    '29 s',
  ]);
});

test('what is missing is a dash', () => {
  expect([duration(undefined), duration(Number.POSITIVE_INFINITY), percent(Number.NaN)]).toEqual([
    '–',
    '–',
    '–',
  ]);
});
