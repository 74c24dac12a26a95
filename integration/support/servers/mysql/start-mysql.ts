import { firstWayThatWorks } from '../shared/first-way-that-works.js';
import { mysqlAtAddress } from './mysql-at-address.js';
import { mysqlFromBinaries } from './mysql-from-binaries.js';
import { mysqlInContainer } from './mysql-in-container.js';
import type { MysqlOptions, MysqlServer } from './mysql-server.js';

export type { MysqlOptions, MysqlServer, MysqlWay } from './mysql-server.js';

const advice = `Any one of these gives a server:
  - set FLOODGATE_MYSQL_URL=mysql://user:password@host:port/database (a test that stops its server needs another way)
  - install MariaDB or MySQL on this machine (Debian, Ubuntu: mariadb-server, done by itself for root; Homebrew: mariadb)
  - start Docker, or set DOCKER_HOST`;

/** A server that answers, got in the first way that works; where none does, an error that says how to get one. */
export function startMysql(options: MysqlOptions = {}): Promise<MysqlServer> {
  return firstWayThatWorks(
    {
      name: 'MySQL or MariaDB',
      ways: { address: mysqlAtAddress, local: mysqlFromBinaries, container: mysqlInContainer },
      addressVariable: 'FLOODGATE_MYSQL_URL',
      order: {
        unset: ['address', 'local', 'container'],
        local: ['local'],
        // Of PostgreSQL only; MySQL has no such package, and local binaries come next to it.
        embedded: ['local'],
        container: ['container'],
      },
      advice,
    },
    options,
  );
}
