import { defineHidden } from '../shared/patch-methods.js';
import {
  isPrepare,
  isStatement,
  type MysqlCommand,
  type MysqlConnection,
  type MysqlPacket,
} from './mysql-internals.js';

/** MySQL, Server Status Flags: SERVER_STATUS_IN_TRANS. */
const IN_TRANSACTION = 1;

/** The status flags that stood in the answer to a connection's last command. */
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
  else if (!packet.isError()) {
    const flags = flagsOf(packet, this);
    if (flags !== undefined) lastFlags.set(connection, flags);
  }
  return Object.getPrototypeOf(this).execute.call(this, packet, connection);
}

function flagsOf(packet: MysqlPacket, command: MysqlCommand): number | undefined {
  if (packet.isEOF()) return packet.eofStatusFlags();
  // What is neither run nor prepared (a ping, a reset, another user) has an OK for an answer, which mysql2 does not keep.
  const isOk = packet.buffer[packet.offset] === 0 && !isStatement(command) && !isPrepare(command);
  if (!isOk) return undefined;
  const { offset } = packet;
  packet.skip(1);
  // Affected rows, and the last id.
  packet.readLengthCodedNumber();
  packet.readLengthCodedNumber();
  const flags = packet.readInt16();
  packet.offset = offset;
  return flags;
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
