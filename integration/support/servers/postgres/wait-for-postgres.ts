import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type UntilAnswered, untilAnswered } from '../shared/until-answered.js';

/** A wrong password, user or database does not become right by waiting. */
const hopeless = new Set(['28P01', '28000', '3D000']);

/** Returns the server's version once a query was really answered; without the packager's words: `18.4`. */
export function waitForPostgres(options: UntilAnswered & { readonly url: string }): Promise<string> {
  return untilAnswered((leftMs) => askVersion(options.url, leftMs), { ...options, hopeless });
}

async function askVersion(connectionString: string, timeoutMs: number): Promise<string> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]!.server_version.split(' ')[0]!;
  } finally {
    // A connection that never came about has nothing to say good-bye to.
    await Promise.race([client.end().catch(() => {}), sleep(500, undefined, { ref: false })]);
  }
}
