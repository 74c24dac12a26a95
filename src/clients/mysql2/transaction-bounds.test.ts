import { describe, expect, test } from 'vitest';
import type { MysqlCommand } from './mysql-internals.js';
import { endsTransaction, opensTransaction } from './transaction-bounds.js';

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

describe('a statement ends a transaction', () => {
  test.each([
    ['commit', true],
    [' ROLLBACK WORK ; ', true],
    ['commit and chain', false],
    ['rollback to savepoint a', false],
    ['commit; select 1', false],
    ['committed', false],
    [undefined, false],
  ])('%j: %j', (sql, ends) => {
    expect(endsTransaction({ sql } as MysqlCommand)).toBe(ends);
  });
});

test('the text of a Prepare counts as that of a query', () => {
  expect(opensTransaction({ query: 'begin' } as MysqlCommand)).toBe(true);
  expect(endsTransaction({ query: 'commit' } as MysqlCommand)).toBe(true);
  expect(opensTransaction({ query: 'select 1' } as MysqlCommand)).toBe(false);
});

test('a text of comments without an end is read in no time', () => {
  const before = performance.now();
  expect(opens(`${'/*'.repeat(50_000)}${'-- '.repeat(50_000)}`)).toBe(false);
  expect(performance.now() - before).toBeLessThan(100);
});
