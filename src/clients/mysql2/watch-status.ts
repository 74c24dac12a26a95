import { defineHidden } from '../shared/patch-methods.js';
import type { MysqlCommand, MysqlConnection, MysqlPacket } from './mysql-internals.js';

/** MySQL, Server Status Flags: SERVER_STATUS_IN_TRANS. */
const IN_TRANSACTION = 1;

/** The status flags of the last EOF packet of a connection. */
const lastFlags = new WeakMap<MysqlConnection, number>();

/** Has the status flags of this command's answer looked at, for {@link leftInTransaction}. */
export function watchStatus(command: MysqlCommand): void {
  defineHidden(command, 'execute', executeWatched);
}

function executeWatched(
  this: MysqlCommand,
  packet: MysqlPacket | undefined,
  connection: MysqlConnection,
): unknown {
  if (packet === undefined) lastFlags.delete(connection);
  else if (!packet.isError() && packet.isEOF()) lastFlags.set(connection, packet.eofStatusFlags());
  return Object.getPrototypeOf(this).execute.call(this, packet, connection);
}

/**
 * The server's own word on whether a transaction is open, at a command's end. It stands in the EOF packet after rows, and
 * in the OK packet of what brings none, which mysql2 keeps as a result. `undefined` if it was not said: errors don't say it.
 */
export function leftInTransaction(command: MysqlCommand, connection: MysqlConnection): boolean | undefined {
  const result = command._fieldCount ? undefined : command._rows?.at(-1);
  const flags = result?.serverStatus ?? lastFlags.get(connection);
  return flags === undefined ? undefined : (flags & IN_TRANSACTION) !== 0;
}
