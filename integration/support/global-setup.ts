import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { type PostgresWay, startPostgres } from './servers/postgres/start-postgres.js';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { readonly url: string; readonly way: PostgresWay; readonly version: string };
  }
}

/**
 * One server for all integration tests, gone when they are. A test that stops, pauses or fills its server
 * starts one of its own with `startPostgres({ dedicated: true })`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const { url, way, version, startedInMs } = server;
  console.log(`PostgreSQL ${version} (${way}), ready in ${startedInMs} ms`);
  project.provide('postgres', { url, way, version });
  return () => server.close();
}
