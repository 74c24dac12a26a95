import type { MysqlConnection } from './mysql-internals.js';

/**
 * Asks the server to stop what a connection runs: `KILL QUERY`, over a short connection with the same configuration.
 * Whoever runs a statement may kill it, so no privilege is needed.
 *
 * Never rejects; the result says whether the server was reached.
 *
 * @param stillRuns asked when the short connection stands: what has ended meanwhile needs no killing, and the next
 *   statement must not be hit
 */
export function killStatement(connection: MysqlConnection, stillRuns: () => boolean): Promise<boolean> {
  const { threadId, config } = connection;
  // A single stream object can't be opened twice; a factory can.
  const reusable = config.stream === undefined || typeof config.stream === 'function';
  if (!threadId || !reusable) return Promise.resolve(false);
  return new Promise((resolve) => {
    const killer = openConnection(connection);
    if (killer === undefined) {
      resolve(false);
      return;
    }
    let over = false;
    const done = (reached: boolean) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      if (reached) killer.end();
      else killer.stream.destroy?.();
      resolve(reached);
    };
    const timer = setTimeout(() => done(false), KILL_TIMEOUT_MS);
    timer.unref();
    killer.on('error', () => done(false));
    killer.once('connect', () => {
      if (!stillRuns()) done(true);
      // An error (no such thread) is an answer, too.
      else killer.query(`KILL QUERY ${Number(threadId)}`, () => done(true));
    });
  });
}

const KILL_TIMEOUT_MS = 5_000;

/** A plain connection, even for a pooled one: it is not to be in the pool. */
function openConnection(connection: MysqlConnection): MysqlConnection | undefined {
  const { constructor: Own, config } = connection;
  const Plain: MysqlConnection['constructor'] =
    connection.release === undefined ? Own : Object.getPrototypeOf(Own);
  const copy = Object.create(Object.getPrototypeOf(config), Object.getOwnPropertyDescriptors(config));
  copy.connectTimeout = KILL_TIMEOUT_MS;
  try {
    return new Plain({ config: copy });
  } catch {
    // A stream factory of the user's that fails: there is no way to reach the server, and nobody to tell.
    return undefined;
  }
}
