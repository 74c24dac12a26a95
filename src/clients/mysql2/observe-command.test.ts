import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Callback, MysqlCommand } from './mysql-internals.js';
import { observeCommand } from './observe-command.js';

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
