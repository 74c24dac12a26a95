import type { Gate } from '../../core/gate.js';
import type { Limiter } from '../../core/limiter.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { ResolvedMysqlOptions } from './mysql-options.js';

/** What the parts of one limited client share. */
export interface MysqlContext {
  readonly limiter: Limiter;
  readonly gate: Gate;
  readonly options: ResolvedMysqlOptions;
  readonly classes: Readonly<Record<MysqlClass, OperationClass>>;
}

/**
 * Classes of operations: `query` for `pool.query` and `pool.execute`, `stream` for a `query` without a callback, whose
 * rows come as events or a stream, `transaction` for `getConnection`, `connection` for a standalone connection while it is
 * opened and set up, `nested` for what rides on a permit its caller already holds.
 */
export type MysqlClass = 'query' | 'transaction' | 'stream' | 'connection' | 'nested';

const CLASSES: readonly MysqlClass[] = ['query', 'transaction', 'stream', 'connection', 'nested'];

export function mysqlContext(limiter: Limiter, options: ResolvedMysqlOptions): MysqlContext {
  const { gate } = limiter;
  const classes = Object.fromEntries(CLASSES.map((name) => [name, gate.classes.get(name)]));
  return {
    limiter,
    gate,
    options,
    classes: classes as Record<MysqlClass, OperationClass>,
  };
}
