import type { MysqlOptions, MysqlServer } from './mysql-server.js';
import { waitForMysql } from './mysql-wait.js';

/** A server that somebody else runs: it is used, and never paused, stopped or started. */
export async function mysqlAtAddress(options: MysqlOptions): Promise<MysqlServer> {
  const url = process.env.FLOODGATE_MYSQL_URL;
  if (!url) throw new Error('FLOODGATE_MYSQL_URL is not set');
  if (options.dedicated) throw new Error('a server of its own is asked for, and an address is shared');
  const parts = URL.canParse(url) ? new URL(url) : undefined;
  if (!parts || !/^(mysql|mariadb):$/.test(parts.protocol) || parts.pathname.length < 2) {
    throw new Error('FLOODGATE_MYSQL_URL must read mysql://user:password@host:port/database');
  }
  const began = performance.now();
  const version = await waitForMysql({ url, deadlineMs: 10_000 });
  const refuse = (deed: string) => async () => {
    throw new Error(
      `will not ${deed} the server at FLOODGATE_MYSQL_URL: it is not ours; ask startMysql for { dedicated: true }`,
    );
  };
  const close = async () => {};
  return {
    url,
    host: parts.hostname,
    port: Number(parts.port || 3306),
    user: decodeURIComponent(parts.username),
    password: decodeURIComponent(parts.password),
    database: decodeURIComponent(parts.pathname.slice(1)),
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
