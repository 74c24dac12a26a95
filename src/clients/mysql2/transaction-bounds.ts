import type { MysqlCommand } from './mysql-internals.js';

/** Whether a statement opens a transaction. Comments before it are passed over. */
export function opensTransaction(command: MysqlCommand): boolean {
  return OPENING.test(textOf(command));
}

/** Whether a statement does nothing but end a transaction. */
export function endsTransaction(command: MysqlCommand): boolean {
  return ENDING.test(textOf(command));
}

/** A Prepare has it under another name. */
function textOf({ sql, query }: MysqlCommand): string {
  const text = sql ?? query;
  return typeof text === 'string' ? text : '';
}

/** Each way through it is the only one, so that no text makes it slow. */
const OPENING =
  /^(?:\s|--[^\n]*\n|#[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:begin|start\s+transaction|xa\s+(?:start|begin))\b/i;
const ENDING = /^\s*(?:commit|rollback)(?:\s+work)?\s*(?:;\s*)?$/i;
