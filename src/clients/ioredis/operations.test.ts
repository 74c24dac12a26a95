import { expect, test } from 'vitest';
import type { RedisCommand } from './ioredis-internals.js';
import { KIND_ROWS, kindOf } from './operations.js';

function command(name: string, ...args: unknown[]): RedisCommand {
  return { name, args } as unknown as RedisCommand;
}

test.each([
  ['get', ['k'], 'command'],
  ['GET', ['k'], 'command'],
  ['a command of tomorrow', [], 'command'],
  ['info', [], 'command'],
  ['cluster', ['INFO'], 'command'],
  ['hello', ['3'], 'connection'],
  ['CLIENT', ['SETINFO'], 'connection'],
  ['Subscribe', ['channel'], 'subscription'],
  ['blpop', ['q', '0'], 'blocking'],
  ['WAIT', ['1', '0'], 'blocking'],
  ['WATCH', ['k'], 'watch'],
  ['multi', [], 'multi'],
  ['exec', [], 'end of transaction'],
  ['xread', ['COUNT', '1', 'STREAMS', 's', '0'], 'command'],
  ['xread', ['COUNT', '1', 'block', '0', 'STREAMS', 's', '$'], 'blocking'],
  ['xread', [Buffer.from('BLOCK'), '0', 'STREAMS', 's', '$'], 'blocking'],
  // A stream may be called so.
  ['xread', ['STREAMS', 'BLOCK', '0'], 'command'],
  ['xreadgroup', ['GROUP', 'block', 'BLOCK', 'STREAMS', 's', '>'], 'command'],
  ['xreadgroup', ['GROUP', 'g', 'c', 'BLOCK', '0', 'STREAMS', 's', '>'], 'blocking'],
  ['himport', ['PREPARE', 'f', 'a'], 'connection'],
  ['himport', ['discard', 'f'], 'connection'],
  ['himport', ['SET', 'k', 'f', 'v'], 'command'],
] as const)('%s %j is a %s', (name, args, kind) => {
  expect(kindOf(command(name, ...args))).toBe(kind);
});

test('a name is in one row, and every row says why it is there', () => {
  const names = KIND_ROWS.flatMap((row) => row.names);
  expect(new Set(names).size).toBe(names.length);
  expect(KIND_ROWS.every(({ source }) => source !== '')).toBe(true);
});
