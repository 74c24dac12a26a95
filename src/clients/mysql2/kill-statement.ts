import type { MysqlConnection } from './mysql-internals.js';
import { type ServerAnswer, tellServer } from './tell-server.js';

/** What became of a `KILL QUERY`. */
export type KillResult = ServerAnswer['state'];

/**
 * Asks the server to stop what a connection runs. Whoever runs a statement may kill it, so no privilege is needed.
 *
 * @param stillRuns asked when the request is about to be sent: what has ended meanwhile needs no killing
 */
export async function killStatement(
  connection: MysqlConnection,
  stillRuns: () => boolean,
): Promise<KillResult> {
  const { state } = await tellServer(connection, (id) => (stillRuns() ? `KILL QUERY ${id}` : undefined));
  return state;
}

/** Whether the server is at work for a connection, which it may not even know any more; `undefined` if it does not say. */
export async function isAtWork(connection: MysqlConnection): Promise<boolean | undefined> {
  const { rows } = await tellServer(
    connection,
    (id) => `select 1 from information_schema.processlist where id = ${id} and command <> 'Sleep'`,
  );
  return rows === undefined ? undefined : rows.length > 0;
}
