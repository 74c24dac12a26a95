import { patchMethods } from '../shared/patch-methods.js';
import type { Admission } from './admission.js';
import type { RedisClient } from './ioredis-internals.js';
import { followNodes, forgetUnready, forgetUnsent } from './lost-commands.js';
import { originalMethod } from './original-method.js';
import { noticeGivingUp } from './owed-answers.js';

/**
 * Gives permits back that no command would: those of commands which the client forgets when its connection changes, so
 * that neither their promises nor their permits would ever settle.
 */
export function followConnection(admission: Admission): void {
  const { client, held, transactions, nodes } = admission;
  const setStatus = originalMethod(client, 'setStatus');
  const disconnect = originalMethod(client, 'disconnect');
  const quit = originalMethod(client, 'quit');

  function end(): void {
    admission.ended = true;
    held.giveBackAll();
    nodes?.forgetAll();
  }

  /** It waits for a reconnect that a call has just cancelled: nothing is left that would end what is queued. */
  function leaveReconnecting(leave: () => unknown): unknown {
    const wasWaiting = client.status === 'reconnecting';
    const result = leave();
    if (wasWaiting) end();
    return result;
  }

  noticeGivingUp(client, admission);
  patchMethods(client, {
    setStatus(this: RedisClient, ...args: Parameters<RedisClient['setStatus']>) {
      setStatus().apply(this, args);
      switch (args[0]) {
        case 'connecting':
          admission.ended = false;
          forgetUnready(client, admission);
          break;
        case 'ready':
          forgetUnsent(client, admission);
          held.sendQueued();
          break;
        case 'close':
          transactions.connectionLost();
          break;
        case 'end':
          admission.ended = true;
          // ioredis rejects what it still knows of in this turn. (A cluster may be called closed once more after its end.)
          process.nextTick(() => {
            if (admission.ended) end();
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
    followNodes(admission);
    patchMethods(client, {
      quit(this: RedisClient, ...args: unknown[]) {
        return leaveReconnecting(() => quit().apply(this, args));
      },
    });
  }
}
