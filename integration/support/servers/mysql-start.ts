import { mysqlAtAddress } from './mysql-at-address.js';
import { mysqlFromBinaries } from './mysql-from-binaries.js';
import { mysqlInContainer } from './mysql-in-container.js';
import type { MysqlOptions, MysqlServer, MysqlWay } from './mysql-server.js';

export type { MysqlOptions, MysqlServer, MysqlWay } from './mysql-server.js';

const ways: Readonly<Record<MysqlWay, (options: MysqlOptions) => Promise<MysqlServer>>> = {
  address: mysqlAtAddress,
  local: mysqlFromBinaries,
  container: mysqlInContainer,
};

const advice = `Any one of these gives a server:
  - set FLOODGATE_MYSQL_URL=mysql://user:password@host:port/database (a test that stops its server needs another way)
  - install MariaDB or MySQL on this machine (Debian, Ubuntu: mariadb-server, done by itself for root; Homebrew: mariadb)
  - start Docker, or set DOCKER_HOST`;

/** A server that answers, got in the first way that works; where none does, an error that says how to get one. */
export async function startMysql(options: MysqlOptions = {}): Promise<MysqlServer> {
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
  throw new AggregateError(failures, `No MySQL or MariaDB server to be had:\n${reasons}\n${advice}`);
}

function order({ way, dedicated }: MysqlOptions): MysqlWay[] {
  if (way !== undefined) return [way];
  const forced = process.env.FLOODGATE_SERVERS;
  switch (forced) {
    case 'container':
    case 'local':
      return [forced];
    // Of PostgreSQL only; MySQL has no such package, and local binaries come next to it.
    case 'embedded':
      return ['local'];
    case undefined:
    case '':
      break;
    default:
      throw new Error(
        `FLOODGATE_SERVERS must be local, embedded or container, got ${JSON.stringify(forced)}`,
      );
  }
  // An address that is set and does not answer is a mistake to hear of, not one to work around.
  if (process.env.FLOODGATE_MYSQL_URL && !dedicated) return ['address'];
  return ['local', 'container'];
}
