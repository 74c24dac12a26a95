import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';

/** A wrong password, user or database does not become right by waiting. */
const hopeless = new Set(['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR']);

export interface WaitForMysqlOptions {
  readonly url: string;
  readonly deadlineMs: number;
  /** A server that is being set up knows neither the user nor the database at first. */
  readonly patient?: boolean;
  /** Says why there is nothing left to wait for: the server's process has ended, say. */
  readonly givenUp?: () => string | undefined | Promise<string | undefined>;
}

/** Returns the server's version once a query was really answered; that a port is open proves nothing. */
export async function waitForMysql(options: WaitForMysqlOptions): Promise<string> {
  const deadline = Date.now() + options.deadlineMs;
  for (;;) {
    const left = deadline - Date.now();
    try {
      return await askVersion(options.url, Math.max(left, 1));
    } catch (error) {
      const reason = await options.givenUp?.();
      if (reason !== undefined) throw new Error(reason, { cause: error });
      const { code, message } = error as { code?: string; message: string };
      if (!options.patient && hopeless.has(code ?? '')) throw error;
      if (Date.now() >= deadline) {
        throw new Error(`no answer within ${options.deadlineMs} ms: ${message || code}`, { cause: error });
      }
    }
    await sleep(20);
  }
}

async function askVersion(uri: string, timeoutMs: number): Promise<string> {
  const connection = await mysql.createConnection({ uri, connectTimeout: Math.min(timeoutMs, 5_000) });
  // Lost while it asks (a server that stops again): the query is told, too.
  connection.on('error', () => {});
  try {
    const [rows] = await connection.query<(mysql.RowDataPacket & { version: string })[]>({
      sql: 'select version() as version',
      timeout: timeoutMs,
    });
    return rows[0]!.version;
  } finally {
    connection.destroy();
  }
}
