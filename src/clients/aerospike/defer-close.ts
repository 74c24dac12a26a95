import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import type { AddonCallback, AerospikeClient, AerospikeErrorClass } from './aerospike-internals.js';
import { isError } from './hook-answer.js';
import type { RunningCommands } from './running-commands.js';

/**
 * `close()` at once refuses new commands, as the client's own does, and closes the addon's half when everything under way
 * has been answered. Left to itself, the addon frees what commands in flight still use, and the process crashes.
 *
 * Nor can the addon's half be connected again once it is closed, which the client does also when it could not connect:
 * it crashes the process, so `connect()` is refused then.
 *
 * @returns `watchConnect`: the callback to give to the addon for connecting
 */
export function deferClose(
  client: AerospikeClient,
  running: RunningCommands,
  AerospikeError: AerospikeErrorClass,
): { watchConnect(callback: AddonCallback): AddonCallback } {
  const behind = methodsBehind(client, ['close', 'connect']);
  let state: 'usable' | 'closing' | 'gone' = 'usable';
  let closeArgs: CloseArgs = [];

  patchMethods(client, {
    close(this: AerospikeClient, ...args: CloseArgs) {
      if (state === 'closing') {
        // To release the event loop, now or then.
        if (args[0]) closeArgs = args;
        return;
      }
      if (!this.connected) return behind.close.apply(this, args);
      state = 'closing';
      closeArgs = args;
      this.connected = false;
      running.whenIdle(() => {
        state = 'gone';
        this.connected = true;
        behind.close.apply(this, closeArgs);
      });
    },

    /** Called before the `close()` has come about, it takes it back. */
    connect(this: AerospikeClient, callback?: (error: unknown, client?: AerospikeClient) => void) {
      if (state === 'usable') return behind.connect.call(this, callback);
      if (state === 'gone') {
        const error = new AerospikeError(GONE);
        if (callback === undefined) return Promise.reject(error);
        process.nextTick(callback, error);
        return Promise.resolve();
      }
      state = 'usable';
      running.cancelWhenIdle();
      this.connected = true;
      if (callback === undefined) return Promise.resolve(this);
      process.nextTick(callback, null, this);
      return Promise.resolve();
    },
  });

  return {
    watchConnect:
      (callback) =>
      (...answer) => {
        if (isError(answer[0])) state = 'gone';
        return callback(...answer);
      },
  };
}

type CloseArgs = [releaseEventLoop?: boolean, destroyTransactions?: boolean];

const GONE = "A client that has been closed, or could not connect, can't be connected again: make a new one.";
