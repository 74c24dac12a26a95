import { describe, expect, test } from 'vitest';
import type { MysqlCommand } from './mysql-internals.js';
import { opensTransaction } from './opens-transaction.js';

const opens = (sql: unknown) => opensTransaction({ sql } as MysqlCommand);

describe('a statement opens a transaction', () => {
  test.each([
    'begin',
    'BEGIN WORK',
    '  Start\n Transaction read only',
    '-- first\nbegin',
    '# first\nstart transaction',
    '/* why * this */ /* and that */ begin; select 1; commit',
    "xa start 'x'",
    "XA BEGIN 'x'",
  ])('%j', (sql) => {
    expect(opens(sql)).toBe(true);
  });
});

describe('a statement opens none', () => {
  test.each([
    'select 1',
    'beginning',
    'start replica',
    '/* begin */ select 1',
    '-- begin',
    'xa end',
    '/* not closed begin',
    undefined,
    7,
  ])('%j', (sql) => {
    expect(opens(sql)).toBe(false);
  });
});

test('a text of comments without an end is read in no time', () => {
  const before = performance.now();
  expect(opens(`${'/*'.repeat(50_000)}${'-- '.repeat(50_000)}`)).toBe(false);
  expect(performance.now() - before).toBeLessThan(100);
});
