import type { Pool } from 'pg';
import { complaint } from '../../core/option-checks.js';
import { limiterFrom, refuseMisplacedOptions } from '../shared/client-options.js';
import { isObjectWith } from '../shared/is-object-with.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { refuseSubclass } from '../shared/refuse-subclass.js';
import { isAlreadyWrapped, isWrapped, markWrapped } from '../shared/wrapped.js';
import { limitPool } from './limit-pool.js';
import type { PgPool } from './pg-internals.js';
import { POOL_CLASSES, type PoolClass, type PoolContext } from './pool-context.js';
import { type LimitedPoolOptions, POOL_OPTION_NAMES, resolvePoolOptions } from './pool-options.js';

/** A pool of pg's with a {@link LimiterHandle}: the pool itself, not a copy. */
export type LimitedPool<P extends Pool = Pool> = P & LimiterHandle;

export interface LimitedPoolConstructor {
  /**
   * Limits a pool that is there already: that very object is patched and returned. A pool that has been limited before
   * is returned as it is.
   */
  new <P extends Pool>(pool: P, options?: LimitedPoolOptions): LimitedPool<P>;
  /**
   * Makes a pool and limits it.
   *
   * @param Pool `pg.Pool`, or a class of its kind
   * @param args what that class's constructor takes: for `pg.Pool` its configuration
   */
  new <P extends Pool, A extends unknown[]>(
    Pool: new (...args: A) => P,
    options?: LimitedPoolOptions,
    ...args: NoInfer<A>
  ): LimitedPool<P>;
  readonly prototype: LimitedPool;
}

/**
 * A `pg.Pool` whose checkouts and queries are admitted by a limiter, at most `maxConcurrentOps` at a time; the others
 * fail at once with a `BackpressureError`. Everything else is the pool's own: the object *is* the pool.
 *
 * One permit is one checkout: `pool.query` holds one while it runs, `pool.connect` one until `release()`. Queries on a
 * client that is checked out need none, so nothing is rejected in the middle of a transaction.
 *
 * @throws TypeError | RangeError for options that are no good, for what is no pool, and for a pool that has another limiter
 */
export const LimitedPool: LimitedPoolConstructor = class LimitedPool {
  constructor(poolOrClass: unknown, options: LimitedPoolOptions = {}, ...args: unknown[]) {
    refuseSubclass(new.target, LimitedPool, 'Pool of pg');
    const resolved = resolvePoolOptions(options);
    refuseMisplacedOptions('LimitedPool', args, POOL_OPTION_NAMES);
    const pool = poolFrom(poolOrClass, args);
    // biome-ignore lint/correctness/noConstructorReturn: the limited pool is the pool itself
    if (isAlreadyWrapped(pool, 'LimitedPool', { ...options })) return pool as never;
    const limiter = limiterFrom(options, 'pg');
    const { gate } = limiter;
    const classes = Object.fromEntries(POOL_CLASSES.map((name) => [name, gate.classes.get(name)]));
    const context: PoolContext = {
      pool,
      limiter,
      gate,
      options: resolved,
      classes: classes as Record<PoolClass, PoolContext['classes'][PoolClass]>,
      abandoned: new Set(),
      isEnding: () => pool.ending,
    };
    limitPool(context);
    markWrapped(pool, { kind: 'LimitedPool', limiter, options: { ...options } });
    // biome-ignore lint/correctness/noConstructorReturn: the limited pool is the pool itself
    return pool as never;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isWrapped(value, 'LimitedPool');
  }
} as unknown as LimitedPoolConstructor;

const RULE = 'pg.Pool or a pool of its kind (for a pg.Client there is LimitedClient)';
const MEMBERS = ['connect', 'query', 'end', 'totalCount', 'idleCount', 'waitingCount'];

function poolFrom(poolOrClass: unknown, args: readonly unknown[]): PgPool {
  if (typeof poolOrClass === 'function') {
    // Looked at before it is constructed: the constructor of something else may do anything.
    if (!isObjectWith(poolOrClass.prototype, MEMBERS))
      throw new TypeError(complaint('the pool', RULE, poolOrClass));
    return new (poolOrClass as new (...args: readonly unknown[]) => PgPool)(...args);
  }
  if (!isObjectWith(poolOrClass, MEMBERS)) throw new TypeError(complaint('the pool', RULE, poolOrClass));
  if (args.length > 0)
    throw new TypeError(complaint("the pool's configuration", 'absent for a pool that exists', args[0]));
  return poolOrClass as PgPool;
}
