import type { PostgresOptions, PostgresServer } from './postgres-server.js';
import { waitForPostgres } from './wait-for-postgres.js';

/** A server that somebody else runs: it is used, and never paused, stopped or started. */
export async function postgresAtAddress(options: PostgresOptions): Promise<PostgresServer> {
  const url = process.env.FLOODGATE_PG_URL;
  if (!url) throw new Error('FLOODGATE_PG_URL is not set');
  if (options.dedicated) throw new Error('a server of its own is asked for, and an address is shared');
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
    throw new Error('FLOODGATE_PG_URL must read postgres://user:password@host:port/database');
  }
  const began = performance.now();
  const version = await waitForPostgres({ url, deadlineMs: 10_000 });
  const parts = new URL(url);
  const user = decodeURIComponent(parts.username);
  const refuse = (deed: string) => async () => {
    throw new Error(
      `will not ${deed} the server at FLOODGATE_PG_URL: it is not ours; ask startPostgres for { dedicated: true }`,
    );
  };
  const close = async () => {};
  return {
    url,
    host: parts.hostname,
    port: Number(parts.port || 5432),
    user,
    password: decodeURIComponent(parts.password),
    database: decodeURIComponent(parts.pathname.slice(1)) || user,
    way: 'address',
    version,
    startedInMs: Math.round(performance.now() - began),
    owned: false,
    pause: refuse('pause'),
    resume: refuse('resume'),
    stop: refuse('stop'),
    start: refuse('start'),
    close,
    [Symbol.asyncDispose]: close,
  };
}
