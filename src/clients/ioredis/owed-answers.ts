import type { RedisClient, RedisCommand } from './ioredis-internals.js';
import { isCommandTimeout } from './outcomes.js';

/**
 * Whether ioredis' `commandTimeout` has answered the caller of a command that it still sends, or still awaits the answer
 * of; it settles it a second time then. What it has given up is in no queue any more, whatever the error says: a handshake
 * that times out rejects all that waits with the error of its own.
 */
export function isAnswerOwed(client: RedisClient, command: RedisCommand, error: unknown): boolean {
  if (!isCommandTimeout(error)) return false;
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
