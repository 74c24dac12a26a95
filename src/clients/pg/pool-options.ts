import { millisecondsFrom, oneOf } from '../../core/option-checks.js';
import { type ClientLimiterOptions, checkClientOptions } from '../shared/client-options.js';

/** What both `LimitedPool` and `LimitedClient` know about statements that outlive their callers. */
export interface AbandonedStatementOptions {
  /**
   * What becomes of a statement that still runs on the server after its `query_timeout` has answered the caller. Its
   * permit and its connection stay taken until the server is done, so that active backends never exceed the limit.
   *
   * - `'wait'`: let the server finish, as pg does.
   * - `'cancel'`: ask the server to stop it, which frees the permit within milliseconds. Costs one short connection for
   *   each timeout.
   *
   * @default 'wait'
   */
  readonly abandonedStatements?: 'wait' | 'cancel' | undefined;
  /**
   * After this many milliseconds (from 0) an abandoned statement is cancelled in any case, and a server that can't be
   * reached is given up on: a permit must not be lost to a network that swallows bytes. @default 60000
   */
  readonly abandonedTimeoutMs?: number | undefined;
}

/** Options of `LimitedClient`: those of its limiter, and what is particular to PostgreSQL. */
export interface LimitedClientOptions extends ClientLimiterOptions, AbandonedStatementOptions {}

/** Options of `LimitedPool`: those of its limiter, and what is particular to PostgreSQL. */
export interface LimitedPoolOptions extends ClientLimiterOptions, AbandonedStatementOptions {
  /**
   * Takes a checked-out client away from a holder that has kept it for this many milliseconds (from 1): the connection is
   * destroyed, the permit comes back, and the holder's own `release()` does nothing. For leaks; off by default.
   */
  readonly maxCheckoutMs?: number | undefined;
}

export interface ResolvedAbandonedOptions {
  readonly abandonedStatements: 'wait' | 'cancel';
  readonly abandonedTimeoutMs: number;
}

export interface ResolvedPoolOptions extends ResolvedAbandonedOptions {
  readonly maxCheckoutMs: number | undefined;
}

/** What may have a bulkhead: not `nested`, which takes no permits. */
const BULKHEADS = ['query', 'transaction', 'stream'];
const HINT = "pg's own configuration is the third argument";
const ABANDONED_CHECKS = {
  abandonedStatements: oneOf('wait', 'cancel'),
  abandonedTimeoutMs: millisecondsFrom(0),
};

export function resolvePoolOptions(options: LimitedPoolOptions): ResolvedPoolOptions {
  const checks = { ...ABANDONED_CHECKS, maxCheckoutMs: millisecondsFrom(1) };
  checkClientOptions('LimitedPool', options, checks, BULKHEADS, HINT);
  return { ...resolveAbandoned(options), maxCheckoutMs: options.maxCheckoutMs };
}

export function resolveClientOptions(options: LimitedClientOptions): ResolvedAbandonedOptions {
  checkClientOptions('LimitedClient', options, ABANDONED_CHECKS, [...BULKHEADS, 'connection'], HINT);
  return resolveAbandoned(options);
}

function resolveAbandoned(options: AbandonedStatementOptions): ResolvedAbandonedOptions {
  return {
    abandonedStatements: options.abandonedStatements ?? 'wait',
    abandonedTimeoutMs: options.abandonedTimeoutMs ?? 60_000,
  };
}
