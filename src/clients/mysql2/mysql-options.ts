import { millisecondsFrom } from '../../core/option-checks.js';
import {
  ABANDONED_CHECKS,
  type AbandonedStatementOptions,
  type ResolvedAbandonedOptions,
  resolveAbandoned,
} from '../shared/abandoned-options.js';
import { type Bulkheads, type ClientLimiterOptions, checkClientOptions } from '../shared/client-options.js';

/** What may have a bulkhead, and be shed: not `nested`, which takes no permits. */
type MysqlShare = 'query' | 'transaction' | 'stream' | 'connection';

/** Options of `LimitedMysql`: those of its limiter, and what is particular to MySQL. */
export interface LimitedMysqlOptions extends ClientLimiterOptions<MysqlShare>, AbandonedStatementOptions {
  /**
   * Caps classes of operations inside the limit, in permits from 1 to `maxConcurrentOps`: `transaction` is
   * `pool.getConnection` until `release()`, on a standalone connection a transaction; `stream` a query without a callback,
   * `connection` a standalone one while it is opened and set up, `query` the rest. @default {}
   */
  readonly bulkheads?: Bulkheads<MysqlShare> | undefined;
  /**
   * Takes a checked-out connection away from a holder that has kept it for this many milliseconds (from 1): the
   * connection is destroyed, the permit comes back, and the holder's own `release()` does nothing. For leaks in pools;
   * off by default. A standalone connection has no checkouts.
   */
  readonly maxCheckoutMs?: number | undefined;
}

export interface ResolvedMysqlOptions extends ResolvedAbandonedOptions {
  readonly maxCheckoutMs: number | undefined;
}

const SHARES: readonly MysqlShare[] = ['query', 'transaction', 'stream', 'connection'];
const OWN_CHECKS = { ...ABANDONED_CHECKS, maxCheckoutMs: millisecondsFrom(1) };
export const MYSQL_OPTION_NAMES: readonly string[] = Object.keys(OWN_CHECKS);
/** Whose options they are, and where mysql2's belong. */
const HINTS = {
  LimitedMysql: "mysql2's own configuration is the third argument",
  limitDriver: "mysql2's own configuration goes to the functions of the driver that comes back",
};
export type OptionsOwner = keyof typeof HINTS;

export function resolveMysqlOptions(owner: OptionsOwner, options: LimitedMysqlOptions): ResolvedMysqlOptions {
  checkClientOptions(owner, options, OWN_CHECKS, SHARES, HINTS[owner]);
  return { ...resolveAbandoned(options), maxCheckoutMs: options.maxCheckoutMs };
}
