import type { DoubleControl } from './aerospike-double.js';

/** What every way of getting an Aerospike server hands over, so that a test written against one way runs against all. */
export interface AerospikeServer {
  /** `host:port`, or several with commas: for the client's `hosts`. */
  readonly hosts: string;
  readonly way: AerospikeWay;
  /** As the server says it; for the test double, that it is none. */
  readonly version: string;
  readonly startedInMs: number;
  /** What a test may ask of the test double; absent for a real server. */
  readonly double: DoubleControl | undefined;
  /** False for `address`: somebody else's server is never paused, stopped or started; those methods throw. */
  readonly owned: boolean;
  /** Freezes the server and all its connections: the kernel still takes connections, nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Takes the server down. The test double keeps its data. */
  stop(): Promise<void>;
  /** Brings a stopped server up again on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** `double` is a test double that speaks the wire protocol: see `../aerospike-server`. */
export type AerospikeWay = 'address' | 'container' | 'double';

export interface AerospikeOptions {
  /** Only this way, whatever the environment says. */
  readonly way?: AerospikeWay;
  /** The caller stops, pauses or fills the server, so it must be nobody else's. */
  readonly dedicated?: boolean;
  /** Told why a way was passed over and what is being done. */
  readonly log?: (line: string) => void;
}
