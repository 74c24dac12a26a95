import type { MysqlConnection } from './mysql-internals.js';

/** What became of a request that was made of the server about a connection. */
export interface ServerAnswer {
  /**
   * - `answered`: an error is an answer, too.
   * - `unanswered`: it was sent, and may arrive at any time.
   * - `unreachable`: nothing was sent, since the server let nobody in.
   * - `needless`: nothing was sent, since nothing was left to say.
   */
  readonly state: 'answered' | 'unanswered' | 'unreachable' | 'needless';
  readonly rows?: readonly unknown[] | undefined;
}

/**
 * Says something about a connection to its server, over a short connection with the same configuration. Never rejects.
 *
 * @param statement made when the short connection stands, from the id that the server has for the other
 */
export function tellServer(
  connection: MysqlConnection,
  statement: (id: number) => string | undefined,
): Promise<ServerAnswer> {
  const { threadId, config } = connection;
  // A single stream object can't be opened twice; a factory can.
  const reusable = config.stream === undefined || typeof config.stream === 'function';
  const teller = threadId && reusable ? openConnection(connection) : undefined;
  if (teller === undefined) return Promise.resolve({ state: 'unreachable' });
  return new Promise((resolve) => {
    let sent = false;
    const done = (answer: ServerAnswer) => {
      clearTimeout(timer);
      if (answer.state === 'answered' || answer.state === 'needless') teller.end();
      else teller.stream.destroy?.();
      resolve(answer);
    };
    const fail = () => done({ state: sent ? 'unanswered' : 'unreachable' });
    const timer = setTimeout(fail, ANSWER_MS);
    timer.unref();
    teller.on('error', fail);
    teller.once('connect', () => {
      const sql = statement(Number(threadId));
      if (sql === undefined) {
        done({ state: 'needless' });
        return;
      }
      sent = true;
      teller.query(sql, (error: { errno?: unknown } | null, rows?: readonly unknown[]) => {
        // Those of the server are positive; others say that the short connection was lost.
        if (!error) done({ state: 'answered', rows });
        else if (Number(error.errno) > 0) done({ state: 'answered' });
        else fail();
      });
    });
  });
}

const ANSWER_MS = 5_000;

/** A plain connection, even for a pooled one: it is not to be in the pool. */
function openConnection(connection: MysqlConnection): MysqlConnection | undefined {
  const { constructor: Own, config } = connection;
  const Plain: MysqlConnection['constructor'] =
    connection.release === undefined ? Own : Object.getPrototypeOf(Own);
  const copy = Object.create(Object.getPrototypeOf(config), Object.getOwnPropertyDescriptors(config));
  copy.connectTimeout = ANSWER_MS;
  try {
    return new Plain({ config: copy });
  } catch {
    // A stream factory of the user's that fails: there is no way to reach the server, and nobody to tell.
    return undefined;
  }
}
