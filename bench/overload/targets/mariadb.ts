import { setTimeout as sleep } from 'node:timers/promises';
import { LimitedMysql } from 'floodgate/mysql2';
import mysql, { type Pool } from 'mysql2/promise';
import { startMysql } from '../../../integration/support/servers/mysql/start-mysql.js';
import { fixedAt, type Gate, limiterOptions, openAtFirst, type Target } from '../target.js';

const THREADS = 20;
const CONNECTIONS = 100;

/**
 * MariaDB's own thread pool: of 100 connections, 20 are served at a time, and the others wait inside of the server, where
 * no client sees that they do. Only the yield of a limit tells.
 */
export async function mariadbTarget(): Promise<Target> {
  const server = await startMysql({
    dedicated: true,
    settings: {
      'loose-thread_handling': 'pool-of-threads',
      'loose-thread_pool_size': 1,
      'loose-thread_pool_max_threads': THREADS,
      'loose-thread_pool_idle_timeout': 3600,
    },
  });
  const mostLimit = 256;
  const config = { uri: server.url, connectionLimit: CONNECTIONS };

  const connect = (gate: Gate) => {
    if (gate === 'bare') return { pool: mysql.createPool(config), limiter: undefined };
    const pool = new LimitedMysql(mysql.createPool, limiterOptions(gate, mostLimit), config);
    return { pool, limiter: pool.limiter };
  };

  return {
    key: 'mariadb',
    name: /mariadb/i.test(server.version)
      ? `MariaDB ${server.version.split('-')[0]}`
      : `MySQL ${server.version}`,
    bound: `a pool of ${CONNECTIONS} connections, 30 ms each; the server runs ${THREADS} statements at a time (\`thread_pool_max_threads\`), the others wait inside of it`,
    callers: 40,
    mostLimit,
    async open(gate) {
      const { pool, limiter } = connect(gate);
      await openConnections(pool, openAtFirst(gate, CONNECTIONS));
      if (limiter !== undefined && gate !== 'bare') fixedAt(limiter, gate);
      return {
        call: () => pool.query('select sleep(0.03)'),
        limiter,
        close: () => Promise.race([pool.end().catch(() => {}), sleep(3000, undefined, { ref: false })]),
      };
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

async function openConnections(pool: Pool, count: number): Promise<void> {
  const connections = await Promise.all(Array.from({ length: count }, () => pool.getConnection()));
  for (const connection of connections) connection.release();
}
