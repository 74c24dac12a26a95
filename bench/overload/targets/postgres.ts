import { setTimeout as sleep } from 'node:timers/promises';
import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import {
  type PostgresServer,
  startPostgres,
} from '../../../integration/support/servers/postgres/start-postgres.js';
import { openConnections } from '../../demo/open-connections.js';
import { fixedAt, type Gate, limiterOptions, type OpenClient, openAtFirst, type Target } from '../target.js';

export interface PostgresWorkload {
  readonly key: string;
  readonly title: string;
  readonly bound: string;
  readonly connections: number;
  readonly callers: number;
  /** The next statement; a scenario may put another in its place. */
  readonly query: () => pg.QueryConfig;
}

/** PostgreSQL through a pool whose connections are open before the first call. */
export class PostgresTarget implements Target {
  readonly key: string;
  readonly name: string;
  readonly bound: string;
  readonly callers: number;
  readonly mostLimit = 256;
  #query: () => pg.QueryConfig;
  readonly #server: PostgresServer;
  readonly #connections: number;

  constructor(server: PostgresServer, { key, title, bound, connections, callers, query }: PostgresWorkload) {
    this.#server = server;
    this.#connections = connections;
    this.key = key;
    this.name = `PostgreSQL ${server.version}${title}`;
    this.bound = bound;
    this.callers = callers;
    this.#query = query;
  }

  static async start(workload: PostgresWorkload): Promise<PostgresTarget> {
    const settings = { max_connections: 2 * workload.connections + 20 };
    return new PostgresTarget(await startPostgres({ dedicated: true, settings }), workload);
  }

  /** From now on, this is asked. */
  ask(query: () => pg.QueryConfig): void {
    this.#query = query;
  }

  async open(gate: Gate): Promise<OpenClient> {
    const { pool, limiter } = this.#pool(gate);
    // A server that goes away is told by the calls.
    pool.on('error', () => {});
    await openConnections(pool, openAtFirst(gate, this.#connections));
    if (limiter !== undefined && gate !== 'bare') fixedAt(limiter, gate);
    return {
      call: () => pool.query(this.#query()),
      limiter,
      async close() {
        // What still waits in a bare pool is forgotten by it, and never answered.
        await Promise.race([pool.end(), sleep(3000, undefined, { ref: false })]);
      },
    };
  }

  pause(): Promise<void> {
    return this.#server.pause();
  }

  resume(): Promise<void> {
    return this.#server.resume();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.close();
  }

  #pool(gate: Gate) {
    const config = { connectionString: this.#server.url, max: this.#connections };
    if (gate === 'bare') return { pool: new pg.Pool(config), limiter: undefined };
    const pool = new LimitedPool(pg.Pool, limiterOptions(gate, this.mostLimit), config);
    return { pool, limiter: pool.limiter };
  }
}
