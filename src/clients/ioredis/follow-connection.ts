import { patchMethods } from '../shared/patch-methods.js';
import type { Admission } from './admission.js';
import { HELD, type RedisClient } from './ioredis-internals.js';
import { originalMethod } from './original-method.js';

/**
 * Gives permits back that no command would: those of commands which the client forgets when its connection changes, so
 * that neither their promises nor their permits would ever settle.
 */
export function followConnection(admission: Admission): void {
  const { client, held, transactions, nodes } = admission;
  const setStatus = originalMethod(client, 'setStatus');
  const disconnect = originalMethod(client, 'disconnect');
  const quit = originalMethod(client, 'quit');

  function forgetAll(): void {
    held.giveBackAll();
    nodes?.forgetAll();
  }

  /** It waits for a reconnect that a call has just cancelled: nothing is left that would end what is queued. */
  function leaveReconnecting(leave: () => unknown): unknown {
    const wasWaiting = client.status === 'reconnecting';
    const result = leave();
    if (wasWaiting) forgetAll();
    return result;
  }

  patchMethods(client, {
    setStatus(this: RedisClient, ...args: Parameters<RedisClient['setStatus']>) {
      setStatus().apply(this, args);
      switch (args[0]) {
        case 'connecting':
          admission.ended = false;
          break;
        case 'ready':
          forgetUnsent(admission);
          held.sendQueued();
          break;
        case 'close':
          transactions.connectionLost();
          break;
        case 'end':
          admission.ended = true;
          // ioredis rejects what it still knows of in this turn. (A cluster may be called closed once more after its end.)
          process.nextTick(() => {
            if (admission.ended) forgetAll();
          });
          break;
      }
    },

    disconnect(this: RedisClient, ...args: unknown[]) {
      // With `true` it will reconnect.
      if (args[0]) disconnect().apply(this, args);
      else leaveReconnecting(() => disconnect().apply(this, args));
    },
  });
  if (nodes !== undefined) {
    patchMethods(client, {
      quit(this: RedisClient, ...args: unknown[]) {
        return leaveReconnecting(() => quit().apply(this, args));
      },
    });
  }
}

/** With `autoResendUnfulfilledCommands: false`, what was on a lost connection is dropped as soon as there is a new one. */
function forgetUnsent({ client, held }: Admission): void {
  if (client.options.autoResendUnfulfilledCommands !== false || !client.prevCommandQueue) return;
  const dropped = new Set(client.prevCommandQueue.toArray().map(({ command }) => command));
  for (const command of dropped) {
    const hold = command[HELD];
    if (hold?.owner === held) hold.giveBack();
  }
  for (const hold of held) {
    if (hold.pipeline?._queue.some((command) => dropped.has(command))) hold.giveBack();
  }
}
