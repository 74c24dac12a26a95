import { millisecondsFrom } from '../../core/option-checks.js';
import {
  ABANDONED_CHECKS,
  type AbandonedStatementOptions,
  type ResolvedAbandonedOptions,
  resolveAbandoned,
} from '../shared/abandoned-options.js';
import { type ClientLimiterOptions, checkClientOptions } from '../shared/client-options.js';

type Bulkheads<C extends string> = { readonly [K in C]?: number | undefined };

/** Options of `LimitedClient`: those of its limiter, and what is particular to PostgreSQL. */
export interface LimitedClientOptions
  extends Omit<ClientLimiterOptions, 'bulkheads'>,
    AbandonedStatementOptions {
  /**
   * Caps classes of operations inside the limit, in permits from 1 to `maxConcurrentOps`: `transaction` from BEGIN to its
   * end, `connection` while it is opened and set up, `stream` Submittables, `query` the rest. @default {}
   */
  readonly bulkheads?: Bulkheads<'query' | 'transaction' | 'stream' | 'connection'> | undefined;
}

/** Options of `LimitedPool`: those of its limiter, and what is particular to PostgreSQL. */
export interface LimitedPoolOptions
  extends Omit<ClientLimiterOptions, 'bulkheads'>,
    AbandonedStatementOptions {
  /**
   * Caps classes of operations inside the limit, in permits from 1 to `maxConcurrentOps`: `transaction` is `pool.connect`
   * until `release()`, `stream` a Cursor, QueryStream or COPY on `pool.query`, `query` any other `pool.query`. @default {}
   */
  readonly bulkheads?: Bulkheads<'query' | 'transaction' | 'stream'> | undefined;
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
/** What may have a bulkhead: not `nested`, which takes no permits. */
const BULKHEADS = ['query', 'transaction', 'stream'];
const HINT = "pg's own configuration is the third argument";

/** The options that a limiter does not have. */
export const POOL_OPTION_NAMES: readonly string[] = Object.keys(POOL_CHECKS);

export function resolvePoolOptions(options: LimitedPoolOptions): ResolvedPoolOptions {
  checkClientOptions('LimitedPool', options, POOL_CHECKS, BULKHEADS, HINT);
  return { ...resolveAbandoned(options), maxCheckoutMs: options.maxCheckoutMs };
}

export function resolveClientOptions(options: LimitedClientOptions): ResolvedAbandonedOptions {
  checkClientOptions('LimitedClient', options, ABANDONED_CHECKS, [...BULKHEADS, 'connection'], HINT);
  return resolveAbandoned(options);
}
