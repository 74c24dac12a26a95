import { expect, test } from 'vitest';
import { parseOverloadOptions } from './overload-options.js';

test('without flags everything runs, at full length', () => {
  expect(parseOverloadOptions([])).toEqual({ quick: false, history: false, help: false, filter: '' });
});

test('flags and a filter', () => {
  expect(parseOverloadOptions(['--quick', 'redis', '--history'])).toEqual({
    quick: true,
    history: true,
    help: false,
    filter: 'redis',
  });
});

test.each([
  [['--quik'], "Unknown option '--quik'"],
  [['redis', 'postgres'], 'one filter, got redis postgres'],
])('%j is refused by name', (args, complaint) => {
  expect(() => parseOverloadOptions(args)).toThrow(complaint);
});
