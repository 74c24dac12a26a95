import type { SamplingClock } from '../../core/sampling-clock.js';
import type { AerospikeClient, AerospikeStats } from './aerospike-internals.js';

/** What the client's connections do, sampled when somebody asks, at most once a second. */
export interface AerospikeConnectionStats {
  /** Commands that the client's event loop works on. */
  readonly inFlight: number;
  /** Commands that wait in the client's own queue (`Aerospike.setupGlobalCommandQueue`). */
  readonly queued: number;
  /** By name of the node. */
  readonly nodes: Readonly<Record<string, AerospikeNodeConnections>>;
}

/** Connections of one node for asynchronous commands, which are all but some batches, info and admin commands. */
export interface AerospikeNodeConnections {
  readonly inUse: number;
  readonly inPool: number;
  /** Since the client was connected. */
  readonly opened: number;
  readonly closed: number;
}

const SAMPLE_MS = 1000;

/** Reading the client's figures costs 8 microseconds and more with each node, so they are kept for a second. */
export class ConnectionStats {
  readonly #client: AerospikeClient;
  readonly #clock: SamplingClock;
  #sample: AerospikeConnectionStats | undefined;
  #sampledAt = Number.NEGATIVE_INFINITY;

  constructor(client: AerospikeClient, clock: SamplingClock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** `undefined` while the client is not connected: missing figures are not zero. */
  read(): AerospikeConnectionStats | undefined {
    if (!this.#client.connected) {
      this.#sample = undefined;
      return undefined;
    }
    const now = this.#clock.now();
    if (this.#sample === undefined || now - this.#sampledAt >= SAMPLE_MS) {
      const stats = this.#client.stats();
      this.#sample = stats && frozen(stats);
      this.#sampledAt = now;
    }
    return this.#sample;
  }
}

function frozen({ commands, nodes }: AerospikeStats): AerospikeConnectionStats {
  return Object.freeze({
    inFlight: commands.inFlight,
    queued: commands.queued,
    nodes: Object.freeze(
      Object.fromEntries(
        nodes.map(({ name, asyncConnections: { inUse, inPool, opened, closed } }) => [
          name,
          Object.freeze({ inUse, inPool, opened, closed }),
        ]),
      ),
    ),
  });
}
