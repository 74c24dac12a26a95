import { afterAll, inject } from 'vitest';
import { startMysql } from '../../support/servers/mysql/start-mysql.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Given by the global setup, if that starts a server for all test files. */
    mysql: { readonly url: string };
  }
}

/** The address of a server that the test file shares with others, or has started for itself. */
export async function sharedMysql(): Promise<string> {
  const given = inject('mysql') as { url: string } | undefined;
  if (given !== undefined) return given.url;
  const server = await startMysql();
  afterAll(() => server.close());
  return server.url;
}
