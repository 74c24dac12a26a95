import { randomBytes } from 'node:crypto';
import type { Limiter } from 'floodgate';
import { LimitedMysql, type LimitedMysqlOptions } from 'floodgate/mysql2';
import mysql from 'mysql2';

type Pool = mysql.Pool;

/** A pool of one test: its connections are recognised by their database, and it is gone when the test is. */
export interface PoolUnderTest<P extends Pool = Pool> extends AsyncDisposable {
  readonly pool: P;
  readonly name: string;
}

export interface LimitedPoolUnderTest extends PoolUnderTest<LimitedMysql<Pool>> {
  readonly limiter: Limiter;
}

// All test files share one server.
const file = randomBytes(4).toString('hex');
let count = 0;

/** Of a database that the test creates, or of one that is there. */
export function uniqueName(): string {
  count++;
  return `floodgate_${file}_${count}`;
}

export function poolConfig(
  url: string,
  database: string | undefined,
  config: mysql.PoolOptions,
): mysql.PoolOptions {
  const uri = new URL(url);
  if (database !== undefined) uri.pathname = `/${database}`;
  return { uri: uri.href, connectionLimit: 2, ...config };
}

export function limitedPool(
  url: string,
  database: string | undefined,
  options: LimitedMysqlOptions,
  config: mysql.PoolOptions = {},
): LimitedPoolUnderTest {
  const pool = new LimitedMysql(mysql.createPool, options, poolConfig(url, database, config));
  return { ...underTest(pool, database ?? ''), limiter: pool.limiter };
}

export function barePool(
  url: string,
  database: string | undefined,
  config: mysql.PoolOptions = {},
): PoolUnderTest {
  return underTest(mysql.createPool(poolConfig(url, database, config)), database ?? '');
}

export function underTest<P extends Pool>(pool: P, name: string): PoolUnderTest<P> {
  return { pool, name, [Symbol.asyncDispose]: async () => closePool(pool) };
}

/** What a core pool knows of itself. */
export interface PoolInternals {
  readonly _closed: boolean;
  readonly _allConnections: Queue<mysql.PoolConnection & { stream: { destroy(): void } }>;
  readonly _freeConnections: Queue<unknown>;
  readonly _connectionQueue: Queue<unknown>;
}

interface Queue<T> {
  readonly length: number;
  get(index: number): T;
}

export function internalsOf(pool: Pool): PoolInternals {
  return pool as unknown as PoolInternals;
}

export function connectionsOf(pool: Pool): (mysql.PoolConnection & { stream: { destroy(): void } })[] {
  const { _allConnections } = internalsOf(pool);
  return Array.from({ length: _allConnections.length }, (_, index) => _allConnections.get(index));
}

/** At once, held connections or not: a failed test must not leave connections to the next one. */
function closePool(pool: Pool): void {
  const connections = connectionsOf(pool);
  if (!internalsOf(pool)._closed) pool.end(() => {});
  for (const connection of connections) {
    connection.on('error', () => {});
    connection.stream.destroy();
  }
}
