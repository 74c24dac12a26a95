import { expect, test } from 'vitest';
import type { DemoError } from './demo-error.js';
import { parseDemoOptions } from './demo-options.js';

test('without flags: 15 s of three times the capacity', () => {
  expect(parseDemoOptions([])).toEqual({ seconds: 15, times: 3, help: false });
});

test('flags are taken in both spellings', () => {
  expect(parseDemoOptions(['--seconds', '20', '--times=1.5'])).toEqual({
    seconds: 20,
    times: 1.5,
    help: false,
  });
  expect(parseDemoOptions(['-h']).help).toBe(true);
});

test.each([
  [['--seconds', '2'], '--seconds must be a whole number from 3 to 600, got "2"'],
  [['--seconds', '7.5'], '--seconds must be a whole number from 3 to 600, got "7.5"'],
  [['--seconds='], '--seconds must be a whole number from 3 to 600, got ""'],
  [['--times', 'many'], '--times must be a number from 0.1 to 10, got "many"'],
  [['--times', 'Infinity'], '--times must be a number from 0.1 to 10, got "Infinity"'],
  [['--second', '5'], "Unknown option '--second'"],
  [['now'], "Unexpected argument 'now'"],
])('%j is refused by name, with the usage below', (args, complaint) => {
  expect(() => parseDemoOptions(args)).toThrow(complaint);
  expect(() => parseDemoOptions(args)).toThrow('npm run demo --');
  try {
    parseDemoOptions(args);
  } catch (error) {
    expect((error as DemoError).exitCode).toBe(2);
  }
});
