import { ofType } from '../../core/option-checks.js';
import { type ClientLimiterOptions, checkClientOptions } from '../shared/client-options.js';
import type { AerospikeClass } from './commands.js';

/** What may have a bulkhead, and be shed. */
type AerospikeShare = Exclude<AerospikeClass, 'transaction' | 'info'>;

/**
 * Options of `LimitedAerospike`: those of its limiter, and what is particular to Aerospike.
 *
 * `maxConcurrentOps` is by default 1000, or `maxConnsPerNode` of the client's configuration (100 unless set) if that is
 * less: past it, the client itself fails at once with error -7. A greater number is taken as it is, with one warning.
 */
export interface LimitedAerospikeOptions extends ClientLimiterOptions<AerospikeShare> {
  /**
   * How many permits a batch takes, from the number of its keys: an integer from 1. More than the limit (or than
   * `bulkheads.batch`) is clamped to that. When it throws, or returns anything else, that is reported once as a process
   * warning, and the default decides. @default (keys) => 1, as a batch takes one connection of each node
   */
  readonly batchWeight?: ((keys: number) => number) | undefined;
}

const SHARES: readonly AerospikeShare[] = [
  'read',
  'write',
  'operate',
  'batch',
  'query',
  'scan',
  'admin',
  'other',
];

export function checkAerospikeOptions(options: LimitedAerospikeOptions): void {
  const hint = "aerospike's own configuration is the third argument";
  checkClientOptions('LimitedAerospike', options, { batchWeight: ofType('function') }, SHARES, hint);
}
