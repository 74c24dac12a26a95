import mysql from 'mysql2/promise';
import { type UntilAnswered, untilAnswered } from '../shared/until-answered.js';

/** A wrong password, user or database does not become right by waiting. */
const hopeless = new Set(['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR']);

export interface WaitForMysqlOptions extends UntilAnswered {
  readonly url: string;
  /** A server that is being set up knows neither the user nor the database at first. */
  readonly patient?: boolean;
}

/** Returns the server's version once a query was really answered. */
export function waitForMysql({ url, patient, ...options }: WaitForMysqlOptions): Promise<string> {
  const wait = patient ? options : { ...options, hopeless };
  return untilAnswered((leftMs) => askVersion(url, leftMs), wait);
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
