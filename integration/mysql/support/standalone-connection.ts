import { once } from 'node:events';
import type { Limiter } from 'floodgate';
import { LimitedMysql, type LimitedMysqlOptions } from 'floodgate/mysql2';
import mysql from 'mysql2';
import { poolConfig } from './client-under-test.js';
import { until } from './operator.js';

/** A limited connection that is set up and idle: connecting has had a permit, and given it back. */
export async function standaloneConnection(
  url: string,
  database: string,
  options: LimitedMysqlOptions,
  config: mysql.ConnectionOptions = {},
): Promise<LimitedMysql<mysql.Connection>> {
  const before = options.limiter?.inFlight ?? 0;
  const connection = new LimitedMysql(mysql.createConnection, options, poolConfig(url, database, config));
  connection.on('error', () => {});
  await once(connection, 'connect');
  await untilSetUp(connection.limiter, before);
  return connection;
}

/** The permit of connecting stays until the connection is idle, and commands may ride on it until then. */
export function untilSetUp(limiter: Limiter, inFlight = 0): Promise<void> {
  return until('the connection is set up', () => limiter.inFlight === inFlight);
}
