export type { LimiterHandle } from '../shared/limiter-handle.js';
export type { LimitedAerospikeOptions } from './aerospike-options.js';
export type { AerospikeConnectionStats, AerospikeNodeConnections } from './connection-stats.js';
export {
  type AerospikeHandle,
  LimitedAerospike,
  type LimitedAerospikeConstructor,
} from './limited-aerospike.js';
