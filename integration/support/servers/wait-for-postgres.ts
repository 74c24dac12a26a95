import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A wrong password, user or database does not become right by waiting. */
const hopeless = new Set(['28P01', '28000', '3D000']);

export interface WaitForPostgresOptions {
  readonly url: string;
  readonly deadlineMs: number;
  /** Says why there is nothing left to wait for: the server's process has ended, say. */
  readonly givenUp?: () => string | undefined | Promise<string | undefined>;
}

/** Returns the server's version once a query was really answered; that a port is open proves nothing. */
export async function waitForPostgres(options: WaitForPostgresOptions): Promise<string> {
  const deadline = Date.now() + options.deadlineMs;
  for (;;) {
    const left = deadline - Date.now();
    try {
      return await askVersion(options.url, Math.max(left, 1));
    } catch (error) {
      const reason = await options.givenUp?.();
      if (reason !== undefined) throw new Error(reason, { cause: error });
      const { code, message } = error as { code?: string; message: string };
      if (hopeless.has(code ?? '')) throw error;
      if (Date.now() >= deadline) {
        throw new Error(`no answer within ${options.deadlineMs} ms: ${message || code}`, { cause: error });
      }
    }
    await sleep(20);
  }
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
