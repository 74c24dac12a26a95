import { serverAtAddress } from '../shared/server-at-address.js';
import { sqlPlace } from '../shared/sql-server.js';
import type { MysqlOptions, MysqlServer } from './mysql-server.js';
import { waitForMysql } from './wait-for-mysql.js';

/** A server that somebody else runs: it is used, and never paused, stopped or started. */
export function mysqlAtAddress(options: MysqlOptions): Promise<MysqlServer> {
  const at = { variable: 'FLOODGATE_MYSQL_URL', starter: 'startMysql' };
  return serverAtAddress(at, options, async (url) => {
    const parts = URL.canParse(url) ? new URL(url) : undefined;
    if (!parts || !/^(mysql|mariadb):$/.test(parts.protocol) || parts.pathname.length < 2) {
      throw new Error('FLOODGATE_MYSQL_URL must read mysql://user:password@host:port/database');
    }
    const version = await waitForMysql({ url, deadlineMs: 10_000 });
    return { ...sqlPlace(url, 3306), version };
  });
}
