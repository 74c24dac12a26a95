import { isObjectWith } from '../shared/is-object-with.js';
import type { MysqlCluster, MysqlConnection, MysqlPool } from './mysql-internals.js';

/** The object that does the work, whichever API (callbacks or promises) its user holds. */
export type Core =
  | { readonly kind: 'pool'; readonly core: MysqlPool }
  | { readonly kind: 'cluster'; readonly core: MysqlCluster }
  | { readonly kind: 'connection'; readonly core: MysqlConnection };

/** By what they can do, since there may be several copies of mysql2. `undefined` for anything else. */
export function recognise(value: unknown): Core | undefined {
  return recogniseCore(value) ?? recogniseCore(behind(value));
}

/** The core object that an object of `mysql2/promise` stands for. */
function behind(value: unknown): unknown {
  if (!isObjectWith(value, ['Promise'])) return undefined;
  const { pool, poolCluster, connection } = value as Record<string, unknown>;
  return pool ?? poolCluster ?? connection;
}

function recogniseCore(value: unknown): Core | undefined {
  if (
    isObjectWith(value, ['getConnection', 'releaseConnection', 'query', 'execute', 'config', 'end', 'on'])
  ) {
    // The promise pool has most of these, too, and a pool behind it.
    if (!('pool' in value)) return { kind: 'pool', core: value as MysqlPool };
  }
  if (isObjectWith(value, ['of', 'add', '_nodes', '_namespaces', '_getConnection'])) {
    return { kind: 'cluster', core: value as MysqlCluster };
  }
  // A connection of a pool has a `release`.
  if (isObjectWith(value, ['addCommand', 'query', 'execute', 'stream', 'config']) && !('release' in value)) {
    return { kind: 'connection', core: value as MysqlConnection };
  }
  return undefined;
}
