import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Callback, MysqlCommand } from './mysql-internals.js';
import { CommandObserver, observeCommand } from './observe-command.js';

setFlagsFromString('--expose-gc');
const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');

/** As heavy as a command of mysql2 with its rows. */
const BYTES = 4_000;
const COMMANDS = 500;

class FakeCommand extends EventEmitter {
  onResult: Callback | undefined;
  readonly rows = new Array(BYTES / 8).fill(0.5);

  constructor(onResult: Callback) {
    super();
    this.onResult = onResult;
  }
}

function answerCommands(): number {
  let answers = 0;
  for (let count = 0; count < COMMANDS; count++) {
    const command = new FakeCommand(() => answers++);
    observeCommand(command as unknown as MysqlCommand, { answered() {}, done() {} });
    command.onResult?.(null, command.rows);
    command.emit('end');
  }
  return answers;
}

test('what was answered is gone with the next small garbage collection', () => {
  expect(answerCommands()).toBe(COMMANDS);
  collect();
  expect(answerCommands()).toBe(COMMANDS);
  collect({ type: 'minor' });
  const { heapUsed } = process.memoryUsage();
  collect();
  // The old function that the assignment of a function literal makes would keep all of them.
  expect(heapUsed - process.memoryUsage().heapUsed).toBeLessThan((COMMANDS * BYTES) / 4);
});

class Unmoved extends CommandObserver {
  protected override onAnswered(): void {}
  protected override onDone(): void {}
}

/** What is left of a `Query` of mysql2 once its callback has had this answer. */
function leftOf(byPool: boolean, ...answer: Parameters<Callback>) {
  const heard: unknown[] = [];
  const fields = {
    _rows: [['row']],
    _fields: [['field']],
    _queryOptions: { sql: 'select 1' },
    sql: 'select 1',
  };
  const command = Object.assign(new FakeCommand((...all) => heard.push(all)), fields);
  new Unmoved().observe(command as unknown as MysqlCommand, byPool);
  command.onResult?.(...answer);
  const { _rows, _fields, _queryOptions, sql } = command;
  return { heard, left: { _rows, _fields, _queryOptions, sql } };
}

test('a query that a pool has sent lets go of question and answer once its caller has it', () => {
  const { heard, left } = leftOf(true, null, [['row']], [['field']]);
  expect(heard).toEqual([[null, [['row']], [['field']]]]);
  expect(left).toEqual({ _rows: undefined, _fields: undefined, _queryOptions: undefined, sql: 'select 1' });
});

test.each([
  ['after an error', true, [new Error('no')]],
  ["on a connection of its caller's", false, [null, [['row']], [['field']]]],
] as const)('and stays as it is %s', (_, byPool, answer) => {
  expect(leftOf(byPool, ...answer).left).toEqual({
    _rows: [['row']],
    _fields: [['field']],
    _queryOptions: { sql: 'select 1' },
    sql: 'select 1',
  });
});
