import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { startMysql } from './servers/mysql/start-mysql.js';
import { type PostgresWay, startPostgres } from './servers/postgres/start-postgres.js';
import { serverOnDemand } from './servers/shared/server-on-demand.js';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { readonly url: string; readonly way: PostgresWay; readonly version: string };
    /** Where to ask for the server: `sharedMysql()` does. */
    mysql: { readonly address: string };
  }
}

/**
 * One server of each kind for all integration tests, gone when they are. A test that stops, pauses or fills its server
 * starts one of its own with `startPostgres({ dedicated: true })` or `startMysql({ dedicated: true })`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const { url, way, version, startedInMs } = server;
  console.log(`PostgreSQL ${version} (${way}), ready in ${startedInMs} ms`);
  project.provide('postgres', { url, way, version });
  // Most runs have no use for it.
  const mysql = await serverOnDemand(async () => {
    const started = await startMysql();
    console.log(`MySQL ${started.version} (${started.way}), ready in ${started.startedInMs} ms`);
    return started;
  });
  project.provide('mysql', { address: mysql.address });
  return async () => {
    await Promise.all([server.close(), mysql.close()]);
  };
}
