/**
 * The client as this package uses it, structurally: the package is never imported. Everything here has been in place since
 * aerospike 6.0.
 */
export interface AerospikeClient {
  /**
   * Where every command that uses the network passes, whatever its form: promise, callback, stream, job. The last of
   * `args` is the callback for the addon.
   */
  asExec(command: string, args: unknown[]): unknown;
  query(namespace: string, set?: string): unknown;
  connect(callback?: (error: unknown, client?: AerospikeClient) => void): unknown;
  close(releaseEventLoop?: boolean, destroyTransactions?: boolean): void;
  isConnected(checkTenderErrors?: boolean): boolean;
  stats(): AerospikeStats | undefined;
  /** Between `connect()` and `close()`. */
  connected: boolean;
  /** Errors show where their command was called. */
  readonly captureStackTraces?: boolean;
  readonly config?: { readonly maxConnsPerNode?: number };
  /** The addon's half. */
  readonly as_client?: { hasPendingAsyncCommands?(): boolean };
}

/** What the addon calls with an error or results, once or, for streams, many times. */
export type AddonCallback = (...results: unknown[]) => unknown;

export interface AerospikeErrorClass {
  new (message?: string): Error & { code: unknown };
  /** The error that the client makes of the addon's plain object. */
  fromASError(error: unknown, command?: unknown): Error | null;
}

/** Of `client.stats()`, as aerospike's types have it. */
export interface AerospikeStats {
  readonly commands: { readonly inFlight: number; readonly queued: number };
  readonly nodes: readonly AerospikeNodeStats[];
}

export interface AerospikeNodeStats {
  readonly name: string;
  readonly asyncConnections: AerospikeConnectionCounts;
  readonly syncConnections: AerospikeConnectionCounts;
}

interface AerospikeConnectionCounts {
  readonly inUse: number;
  readonly inPool: number;
  readonly opened: number;
  readonly closed: number;
}

const MEMBERS = ['asExec', 'query', 'scan', 'connect', 'close', 'isConnected', 'stats'];

/** Whether a value is a client, or the prototype of a class of clients. */
export function isAerospikeClient(value: unknown): value is AerospikeClient {
  return typeof value === 'object' && value !== null && MEMBERS.every((member) => member in value);
}
