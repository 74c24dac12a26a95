import type { AerospikeClient } from './aerospike-internals.js';

/** The commands of one client that the addon has not answered for the last time, exempt ones included. */
export class RunningCommands {
  readonly #client: AerospikeClient;
  #count = 0;
  #onIdle: (() => void) | undefined;

  constructor(client: AerospikeClient) {
    this.#client = client;
  }

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#onIdle !== undefined) this.#awaitIdle();
  }

  /**
   * Calls back when the addon has nothing to do any more: on a later turn of the event loop, since it may be in the middle
   * of answering now, and not before its own commands (parts of an aborted scan) have ended too.
   */
  whenIdle(onIdle: () => void): void {
    this.#onIdle = onIdle;
    this.#awaitIdle();
  }

  cancelWhenIdle(): void {
    this.#onIdle = undefined;
  }

  #awaitIdle(): void {
    if (this.#count === 0) setImmediate(this.#check);
  }

  readonly #check = () => {
    const onIdle = this.#onIdle;
    if (onIdle === undefined || this.#count > 0) return;
    if (this.#client.as_client?.hasPendingAsyncCommands?.()) {
      setTimeout(this.#check, POLL_MS);
      return;
    }
    this.#onIdle = undefined;
    onIdle();
  };
}

const POLL_MS = 5;
