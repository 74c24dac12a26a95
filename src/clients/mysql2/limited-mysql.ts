import type { Connection, Pool, PoolCluster } from 'mysql2';
import type {
  Connection as PromiseConnection,
  Pool as PromisePool,
  PoolCluster as PromisePoolCluster,
} from 'mysql2/promise';
import { complaint } from '../../core/option-checks.js';
import { limiterFrom, refuseMisplacedOptions } from '../shared/client-options.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { isAlreadyWrapped, isWrapped, markWrapped } from '../shared/wrapped.js';
import { limitCluster } from './limit-cluster.js';
import { limitConnection } from './limit-connection.js';
import { limitPool } from './limit-pool.js';
import { mysqlContext } from './mysql-context.js';
import { type LimitedMysqlOptions, MYSQL_OPTION_NAMES, resolveMysqlOptions } from './mysql-options.js';
import { type Core, recognise } from './recognise.js';

/** Everything of mysql2 that can be limited, of both its APIs. */
export type MysqlClient =
  | Pool
  | PoolCluster
  | Connection
  | PromisePool
  | PromisePoolCluster
  | PromiseConnection;

/** A client of mysql2 with a {@link LimiterHandle}: the client itself, not a copy. */
export type LimitedMysql<C extends MysqlClient = Pool> = C & LimiterHandle;

/** The arguments of a function that has one or two ways to be called, as mysql2's have: an address or a configuration. */
export type MysqlArguments<F> = F extends {
  (...args: infer A): unknown;
  (...args: infer B): unknown;
}
  ? A | B
  : never;

/** What comes of a client: promised, if it was. */
export type LimitedResult<R> =
  R extends PromiseLike<infer C> ? Promise<C & LimiterHandle> : R & LimiterHandle;

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
 * On a standalone connection, it is one command, or one whole transaction. Nothing is rejected inside a transaction.
 *
 * @throws TypeError | RangeError for options that are no good, for what is no client, and for a client that has another
 * limiter
 */
export const LimitedMysql: LimitedMysqlConstructor = class LimitedMysql {
  constructor(clientOrCreate: unknown, options: LimitedMysqlOptions = {}, ...args: unknown[]) {
    const resolved = resolveMysqlOptions('LimitedMysql', options);
    refuseMisplacedOptions(KIND, args, MYSQL_OPTION_NAMES);
    const limit = (client: unknown, subject: string) => {
      const found = recognise(client);
      if (found === undefined) throw new TypeError(complaint(subject, RULE, client));
      limitOnce(client as object, found, options, resolved);
      return client;
    };
    const made = typeof clientOrCreate === 'function';
    if (!made && args.length > 0) {
      throw new TypeError(
        complaint("the client's configuration", 'absent for a client that exists', args[0]),
      );
    }
    const client = made ? create(clientOrCreate as Create, args) : clientOrCreate;
    const subject = made ? 'what the function makes' : 'the client';
    // biome-ignore lint/correctness/noConstructorReturn: the limited client is the client itself
    return (
      isPromise(client) ? client.then((value) => limit(value, subject)) : limit(client, subject)
    ) as never;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isWrapped(value, KIND);
  }
} as unknown as LimitedMysqlConstructor;

const KIND = 'LimitedMysql';
const RULE =
  'a pool, a pool cluster or a standalone connection of mysql2 or mysql2/promise, or a function that makes one (for a connection of a pool, limit the pool)';

type Create = (...args: readonly unknown[]) => unknown;

function create(factory: Create, args: readonly unknown[]): unknown {
  // A class does not want to be called: mysql2's are made by its functions.
  if (/^class\b/.test(Function.prototype.toString.call(factory))) {
    throw new TypeError(complaint('the client', RULE, factory));
  }
  return factory(...args);
}

function limitOnce(
  client: object,
  found: Core,
  options: LimitedMysqlOptions,
  resolved: ReturnType<typeof resolveMysqlOptions>,
): void {
  const { core } = found;
  // A pool has two faces, one of callbacks and one of promises, and each may come here.
  if (isAlreadyWrapped(core, KIND, { ...options })) {
    if (!isAlreadyWrapped(client, KIND, {})) {
      const { limiter } = core as unknown as LimiterHandle;
      markWrapped(client, { kind: KIND, limiter, options: { ...options } });
    }
    return;
  }
  if (client !== core) isAlreadyWrapped(client, KIND, { ...options });
  const limiter = limiterFrom(options, 'mysql2');
  const context = mysqlContext(limiter, resolved);
  if (found.kind === 'pool') limitPool(context, found.core);
  else if (found.kind === 'cluster') limitCluster(context, found.core);
  else limitConnection(context, found.core);
  for (const face of new Set([client, core])) {
    markWrapped(face, { kind: KIND, limiter, options: { ...options } });
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
