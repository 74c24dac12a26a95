import { millisecondsFrom } from '../../core/option-checks.js';
import {
  ABANDONED_CHECKS,
  type AbandonedStatementOptions,
  type ResolvedAbandonedOptions,
  resolveAbandoned,
} from '../shared/abandoned-options.js';
import { type Bulkheads, type ClientLimiterOptions, checkClientOptions } from '../shared/client-options.js';

/** What may have a bulkhead, and be shed: not `nested`, which takes no permits. */
type PoolShare = 'query' | 'transaction' | 'stream';
type ClientShare = PoolShare | 'connection';

/** Options of `LimitedClient`: those of its limiter, and what is particular to PostgreSQL. */
export interface LimitedClientOptions extends ClientLimiterOptions<ClientShare>, AbandonedStatementOptions {
  /**
   * Caps classes of operations inside the limit, in permits from 1 to `maxConcurrentOps`: `transaction` from BEGIN to its
   * end, `connection` while it is opened and set up, `stream` Submittables, `query` the rest. @default {}
   */
  readonly bulkheads?: Bulkheads<ClientShare> | undefined;
}

/** Options of `LimitedPool`: those of its limiter, and what is particular to PostgreSQL. */
export interface LimitedPoolOptions extends ClientLimiterOptions<PoolShare>, AbandonedStatementOptions {
  /**
   * Caps classes of operations inside the limit, in permits from 1 to `maxConcurrentOps`: `transaction` is `pool.connect`
   * until `release()`, `stream` a Cursor, QueryStream or COPY on `pool.query`, `query` any other `pool.query`. @default {}
   */
  readonly bulkheads?: Bulkheads<PoolShare> | undefined;
  /**
   * Takes a checked-out client away from a holder that has kept it for this many milliseconds (from 1): the connection is
   * destroyed, the permit comes back, and the holder's own `release()` does nothing. For leaks; off by default.
   */
  readonly maxCheckoutMs?: number | undefined;
}

export interface ResolvedPoolOptions extends ResolvedAbandonedOptions {
  readonly maxCheckoutMs: number | undefined;
}

const POOL_CHECKS = { ...ABANDONED_CHECKS, maxCheckoutMs: millisecondsFrom(1) };
const POOL_SHARES: readonly PoolShare[] = ['query', 'transaction', 'stream'];
const CLIENT_SHARES: readonly ClientShare[] = [...POOL_SHARES, 'connection'];
const HINT = "pg's own configuration is the third argument";

/** The options that a limiter does not have. */
export const POOL_OPTION_NAMES: readonly string[] = Object.keys(POOL_CHECKS);

export function resolvePoolOptions(options: LimitedPoolOptions): ResolvedPoolOptions {
  checkClientOptions('LimitedPool', options, POOL_CHECKS, POOL_SHARES, HINT);
  return { ...resolveAbandoned(options), maxCheckoutMs: options.maxCheckoutMs };
}

export function resolveClientOptions(options: LimitedClientOptions): ResolvedAbandonedOptions {
  checkClientOptions('LimitedClient', options, ABANDONED_CHECKS, CLIENT_SHARES, HINT);
  return resolveAbandoned(options);
}
