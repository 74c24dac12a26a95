import type { Connection, Pool, PoolCluster } from 'mysql2';
import type {
  Connection as PromiseConnection,
  Pool as PromisePool,
  PoolCluster as PromisePoolCluster,
} from 'mysql2/promise';
import { complaint } from '../../core/option-checks.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { refuseSubclass } from '../shared/refuse-subclass.js';
import { isWrapped } from '../shared/wrapped.js';
import { type Create, KIND, LimitRequest, limitClient, limitMade, noClient } from './limit-client.js';
import type { LimitedMysqlOptions } from './mysql-options.js';
import { recognise } from './recognise.js';

/** Everything of mysql2 that can be limited, of both its APIs. */
export type MysqlClient =
  | Pool
  | PoolCluster
  | Connection
  | PromisePool
  | PromisePoolCluster
  | PromiseConnection;

/** A client of mysql2 with a {@link LimiterHandle}: the client itself, not a copy. So has its `promise()`. */
export type LimitedMysql<C = Pool> = PromiseSide<C> & C & LimiterHandle;

/** First of the overloads, which are tried in their order. */
type PromiseSide<C> = C extends { promise(implementation?: PromiseConstructor): infer P }
  ? { promise(implementation?: PromiseConstructor): P & LimiterHandle }
  : unknown;

/** The arguments of a function that has one or two ways to be called, as mysql2's have: an address or a configuration. */
export type MysqlArguments<F> = F extends {
  (...args: infer A): unknown;
  (...args: infer B): unknown;
}
  ? A | B
  : never;

/** What comes of a client: promised, if it was. */
export type LimitedResult<R> = R extends PromiseLike<infer C> ? Promise<LimitedMysql<C>> : LimitedMysql<R>;

export interface LimitedMysqlConstructor {
  /**
   * Limits a pool, a cluster or a connection that is there already: that very object is patched and returned. One that
   * has been limited before is returned as it is.
   */
  new <C extends MysqlClient>(client: C, options?: LimitedMysqlOptions): LimitedMysql<C>;
  /**
   * Makes one and limits it. What `mysql2/promise`'s `createConnection` promises is promised here, too: `await new ...`.
   *
   * @param create `createPool`, `createPoolCluster` or `createConnection`, of `mysql2` or `mysql2/promise`
   * @param args what that function takes: its configuration
   */
  new <F extends (...args: never[]) => MysqlClient | Promise<MysqlClient>>(
    create: F,
    options?: LimitedMysqlOptions,
    ...args: MysqlArguments<F>
  ): LimitedResult<ReturnType<F>>;
  readonly prototype: LimitedMysql;
}

/**
 * A pool, pool cluster or connection of mysql2 whose checkouts and queries are admitted by a limiter, at most
 * `maxConcurrentOps` at a time; the others fail at once with a `BackpressureError`. Everything else is the client's own:
 * the object *is* the client. A pool's callback and promise sides are one pool, and have one limiter.
 *
 * In a pool, one permit is one checkout: `pool.query` holds one while it runs, `pool.getConnection` one until `release()`.
 * On a standalone connection, it is one command, or one whole transaction; one that is made here also takes a permit to be
 * opened, and keeps it until it is set up. Nothing is rejected inside a transaction.
 *
 * @throws TypeError | RangeError for options that are no good, for what is no client, and for a client that has another
 * limiter
 */
export const LimitedMysql: LimitedMysqlConstructor = class LimitedMysql {
  constructor(clientOrCreate: unknown, options: LimitedMysqlOptions = {}, ...args: unknown[]) {
    refuseSubclass(new.target, LimitedMysql, "mysql2's own class");
    const request = new LimitRequest(KIND, options);
    if (typeof clientOrCreate === 'function') {
      // biome-ignore lint/correctness/noConstructorReturn: the limited client is the client itself
      return limitMade(request, clientOrCreate as Create, args, LimitedMysql) as never;
    }
    if (recognise(clientOrCreate) === undefined) throw noClient('the client', clientOrCreate);
    if (args.length > 0) {
      throw new TypeError(
        complaint("the client's configuration", 'absent for a client that exists', args[0]),
      );
    }
    // biome-ignore lint/correctness/noConstructorReturn: the limited client is the client itself
    return limitClient(request, clientOrCreate, 'the client') as never;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isWrapped(value, KIND);
  }
} as unknown as LimitedMysqlConstructor;
