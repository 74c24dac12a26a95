import type { Server, ServerOptions } from '../shared/server.js';
import type { DoubleControl } from './aerospike-double.js';

/** What every way of getting an Aerospike server hands over. Only the test double keeps its data over a stop. */
export interface AerospikeServer extends Server<AerospikeWay> {
  /** `host:port`, or several with commas: for the client's `hosts`. */
  readonly hosts: string;
  /** As the server says it; for the test double, that it is none. */
  readonly version: string;
  /** What a test may ask of the test double; absent for a real server. */
  readonly double: DoubleControl | undefined;
}

/** `double` is a test double that speaks the wire protocol: see `../../aerospike-server`. */
export type AerospikeWay = 'address' | 'container' | 'double';

export type AerospikeOptions = ServerOptions<AerospikeWay>;
