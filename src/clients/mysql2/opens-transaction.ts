import type { MysqlCommand } from './mysql-internals.js';

/** Whether a statement opens a transaction. Comments before it are passed over. */
export function opensTransaction({ sql }: MysqlCommand): boolean {
  return typeof sql === 'string' && OPENING.test(sql);
}

/** Each way through it is the only one, so that no text makes it slow. */
const OPENING =
  /^(?:\s|--[^\n]*\n|#[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:begin|start\s+transaction|xa\s+(?:start|begin))\b/i;
