import type { SamplingClock } from '../../core/sampling-clock.js';
import type { AerospikeClient } from './aerospike-internals.js';
import type { RunningCommands } from './running-commands.js';

/**
 * Connections that are still taken although their commands have been answered. After a timeout of its own, the client
 * waits up to 3 s (`timeoutDelay`) for the server's late answer, and meanwhile the connection counts for `maxConnsPerNode`:
 * whoever comes then gets error -7. While that may be so, this says whether a connection is left.
 *
 * It costs nothing until a command times out; then the client's figures are read, at most fifty times a second.
 */
export class StaleConnections {
  readonly #client: AerospikeClient;
  readonly #running: RunningCommands;
  readonly #clock: SamplingClock;
  /** Of each node. */
  readonly #capacity: number;
  /** Of the node that has the most in use. */
  #inUse = 0;
  #begun = 0;
  #sampledAt = Number.NEGATIVE_INFINITY;
  suspected = false;

  constructor(client: AerospikeClient, running: RunningCommands, clock: SamplingClock, capacity: number) {
    this.#client = client;
    this.#running = running;
    this.#clock = clock;
    this.#capacity = capacity;
  }

  timedOut(): void {
    this.suspected = true;
  }

  /** How many connections of a node are taken, if that is all it may have; to be asked only while {@link suspected}. */
  exhausted(): number | undefined {
    const now = this.#clock.now();
    if (now - this.#sampledAt >= SAMPLE_MS) this.#sample(now);
    if (!this.suspected) return undefined;
    const taken = this.#inUse + this.#begun;
    if (taken >= this.#capacity) return taken;
    this.#begun++;
    return undefined;
  }

  #sample(now: number): void {
    const nodes = this.#client.stats()?.nodes ?? [];
    let most = 0;
    let all = 0;
    for (const { asyncConnections } of nodes) {
      all += asyncConnections.inUse;
      most = Math.max(most, asyncConnections.inUse);
    }
    this.#inUse = most;
    this.#begun = 0;
    this.#sampledAt = now;
    this.suspected = all > this.#running.count;
  }
}

const SAMPLE_MS = 20;
