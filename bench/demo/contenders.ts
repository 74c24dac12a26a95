import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import { workload } from './workload.js';

export interface Contender {
  readonly name: string;
  /** The line of code by which it differs from the others. */
  readonly setup: string;
  open(config: pg.PoolConfig): OpenPool;
}

export interface OpenPool {
  readonly pool: pg.Pool;
  /** The limit in force; it may move. */
  readonly limit?: () => number;
}

const { poolSize } = workload;
/** All connections busy, and as many queries again at hand for the moment when one becomes free. */
const fixedLimit = 2 * poolSize;

/** Who meets the overload, one after the other. Table, words and page take whatever stands here. */
export const contenders: readonly Contender[] = [
  {
    name: 'no limit',
    setup: `new pg.Pool({ max: ${poolSize} })`,
    open: (config) => ({ pool: new pg.Pool(config) }),
  },
  {
    name: 'fixed limit',
    setup: `new LimitedPool(pg.Pool,\n  { maxConcurrentOps: ${fixedLimit} }, { max: ${poolSize} })`,
    open(config) {
      const pool = new LimitedPool(pg.Pool, { maxConcurrentOps: fixedLimit }, config);
      return { pool, limit: () => pool.limiter.limit };
    },
  },
  {
    name: 'adaptive limit',
    setup: `new LimitedPool(pg.Pool,\n  { adaptive: true }, { max: ${poolSize} })`,
    open(config) {
      const pool = new LimitedPool(pg.Pool, { adaptive: true }, config);
      return { pool, limit: () => pool.limiter.limit };
    },
  },
];
