import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import type { AerospikeClient } from './aerospike-internals.js';
import type { RunningCommands } from './running-commands.js';

/**
 * `close()` at once refuses new commands, as the client's own does, and closes the addon's half when everything under way
 * has been answered. Left to itself, the addon frees what commands in flight still use, and the process crashes.
 */
export function deferClose(client: AerospikeClient, running: RunningCommands): void {
  const behind = methodsBehind(client, ['close', 'connect']);
  let closing = false;

  patchMethods(client, {
    close(this: AerospikeClient, ...args: [releaseEventLoop?: boolean, destroyTransactions?: boolean]) {
      if (closing || !this.connected) return behind.close.apply(this, args);
      closing = true;
      this.connected = false;
      running.whenIdle(() => {
        closing = false;
        this.connected = true;
        behind.close.apply(this, args);
      });
    },

    /** Called before that has come about, it takes the `close()` back. */
    connect(this: AerospikeClient, callback?: (error: unknown, client?: AerospikeClient) => void) {
      if (!closing) return behind.connect.call(this, callback);
      closing = false;
      running.cancelWhenIdle();
      this.connected = true;
      if (callback === undefined) return Promise.resolve(this);
      process.nextTick(callback, null, this);
      return Promise.resolve();
    },
  });
}
