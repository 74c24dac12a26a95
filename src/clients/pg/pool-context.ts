import type { Gate } from '../../core/gate.js';
import type { Limiter } from '../../core/limiter.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { AbandonedStatement } from './abandoned-statement.js';
import type { PgPool } from './pg-internals.js';
import type { ResolvedPoolOptions } from './pool-options.js';

/** What the parts of one limited pool share. */
export interface PoolContext {
  readonly pool: PgPool;
  readonly limiter: Limiter;
  readonly gate: Gate;
  readonly options: ResolvedPoolOptions;
  readonly classes: Readonly<Record<PoolClass, OperationClass>>;
  /** Statements that outlived their callers, to be cancelled when the pool ends. */
  readonly abandoned: Set<AbandonedStatement>;
  /** `end()` has been called. */
  isEnding: () => boolean;
}

/**
 * Classes of a pool's operations: `query` for `pool.query`, `transaction` for `pool.connect`, `stream` for Submittables
 * that hold a portal or copy data, `nested` for what rides on a permit its caller already holds.
 */
export type PoolClass = 'query' | 'transaction' | 'stream' | 'nested';

export const POOL_CLASSES: readonly PoolClass[] = ['query', 'transaction', 'stream', 'nested'];
