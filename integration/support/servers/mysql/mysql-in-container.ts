import { randomBytes } from 'node:crypto';
import { ownedServer } from '../shared/owned-server.js';
import { serverInContainer } from '../shared/server-in-container.js';
import { sqlPlace } from '../shared/sql-server.js';
import { mysqlArguments } from './mysql-arguments.js';
import {
  DATABASE,
  type MysqlOptions,
  type MysqlServer,
  type MysqlStopMode,
  stopSignals,
} from './mysql-server.js';
import { waitForMysql } from './wait-for-mysql.js';

/** A server in a container of its own, on a host port that stays the same over stop and start. */
export async function mysqlInContainer(options: MysqlOptions): Promise<MysqlServer> {
  const password = randomBytes(12).toString('hex');
  const urlAt = (host: string, port: number) => `mysql://root:${password}@${host}:${port}/${DATABASE}`;
  const { engine, facts } = await serverInContainer<MysqlStopMode>(
    {
      image: 'mysql:9',
      port: 3306,
      environment: () => ({ MYSQL_ROOT_PASSWORD: password, MYSQL_DATABASE: DATABASE }),
      command: ['mysqld', ...mysqlArguments(options.settings ?? {}, {})],
      ready: /ready for connections/,
      stopSignal: (mode) => stopSignals[mode],
      // The image starts a server to set up the user and the database before it starts the real one.
      answers: (host, port, givenUp) =>
        waitForMysql({ url: urlAt(host, port), deadlineMs: 120_000, patient: true, givenUp }),
    },
    options.log,
  );
  const place = sqlPlace(urlAt(facts.host, facts.port), 3306);
  return ownedServer('MySQL', { ...place, ...facts }, engine, 'fast');
}
