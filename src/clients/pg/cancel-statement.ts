import type { PgClient, PgConnection } from './pg-internals.js';

/**
 * Asks the server to cancel what this client's backend runs (PostgreSQL protocol, "Canceling Requests in Progress"): a
 * connection of its own, one message, and the server closes it. It takes no place under `max_connections`.
 *
 * Never rejects; the result says whether the request reached a server that then closed the connection. It is sent only
 * while the client's connection is held by us, so it can't hit somebody else's statement.
 *
 * @param stream pg's `stream` option, if the pool has one
 */
export function cancelStatement(client: PgClient, stream?: unknown): Promise<boolean> {
  if (client.native !== undefined) {
    const { native } = client;
    return new Promise((resolve) => native.cancel((error) => resolve(!error)));
  }
  const { connection, processID, secretKey } = client;
  // A single stream object can't be opened twice; a factory can.
  const reusable = stream === undefined || typeof stream === 'function';
  if (connection === undefined || !processID || secretKey == null || !reusable) return Promise.resolve(false);
  return new Promise((resolve) => {
    const request = openConnection(connection, stream);
    if (request === undefined) {
      resolve(false);
      return;
    }
    const done = (reached: boolean) => {
      clearTimeout(timer);
      resolve(reached);
      request.stream.destroy();
    };
    const timer = setTimeout(() => done(false), CANCEL_TIMEOUT_MS);
    timer.unref();
    let sent = false;
    const send = () => {
      sent = true;
      request.cancel(processID, secretKey);
    };
    // An error after sending is the server's way to close; 'end' decides.
    request.on('error', () => done(sent));
    request.once('end', () => done(sent));
    request.once('connect', () => (request.ssl ? request.requestSsl() : send()));
    request.once('sslconnect', send);
    const { host, port } = client;
    if (host?.startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`);
    else request.connect(port ?? 5432, host);
  });
}

const CANCEL_TIMEOUT_MS = 5_000;

function openConnection(connection: PgConnection, stream: unknown): PgConnection | undefined {
  try {
    const ssl = connection.ssl ?? false;
    return new connection.constructor(stream === undefined ? { ssl } : { ssl, stream });
  } catch {
    // A stream factory of the user's that fails: there is no way to reach the server, and nobody to tell.
    return undefined;
  }
}
