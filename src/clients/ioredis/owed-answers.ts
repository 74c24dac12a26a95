import { patchMethods } from '../shared/patch-methods.js';
import type { Admission } from './admission.js';
import type { RedisClient, RedisCommand } from './ioredis-internals.js';
import { originalMethod } from './original-method.js';
import { isCommandTimeout } from './outcomes.js';

/**
 * Whether ioredis' `commandTimeout` has answered the caller of a command that it still sends, or still awaits the answer
 * of; it settles it a second time then. A handshake that times out has all that waits rejected with the error of its own,
 * but that is given up.
 */
export function isAnswerOwed(admission: Admission, error: unknown): boolean {
  return isCommandTimeout(error) && !admission.givingUp;
}

/** While ioredis empties a client's queues, it gives commands up, whatever the error says. */
export function noticeGivingUp(client: RedisClient, admission: Admission): void {
  if (client.flushQueue === undefined) return;
  const flushQueue = originalMethod(client, 'flushQueue');
  patchMethods(client, {
    flushQueue(this: RedisClient, ...args: unknown[]) {
      const outer = admission.givingUp;
      admission.givingUp = true;
      try {
        return flushQueue().apply(this, args);
      } finally {
        admission.givingUp = outer;
      }
    },
  });
}

/**
 * Whether ioredis' own timer for a blocking command (`blockingTimeout`) has made up this answer. The server's comes when
 * the command has left its queue.
 */
export function isMadeUp(client: RedisClient, command: RedisCommand, answer: unknown): boolean {
  if (answer !== null || command._blockingDeadline === undefined) return false;
  if (isQueued(client, command)) return true;
  // Asked directly: `nodes()` is the user's.
  return client.connectionPool?.getNodes('all').some((node) => isQueued(node, command)) ?? false;
}

function isQueued(client: RedisClient, command: RedisCommand): boolean {
  for (const queue of [client.commandQueue, client.prevCommandQueue, client.offlineQueue]) {
    if (!queue) continue;
    // The oldest first, since they are the ones that time out.
    for (let index = 0; index < queue.length; index++) {
      if (queue.peekAt(index)?.command === command) return true;
    }
  }
  return false;
}
