import { patchMethods } from '../shared/patch-methods.js';
import type { Admission } from './admission.js';
import type { HeldOperations } from './hold.js';
import { HELD, type RedisClient, type RedisCommand } from './ioredis-internals.js';
import { originalMethod } from './original-method.js';
import { noticeGivingUp } from './owed-answers.js';

/*
 * Commands that ioredis drops without a word when a connection is replaced. Nothing ever settles them, so their permits
 * are given back.
 */

/**
 * To be called when a client connects. What was written on a connection that was lost before it was ready (its handshake,
 * and commands that Redis takes while it loads) is dropped; what is to be sent again is in another queue by now.
 */
export function forgetUnready({ commandQueue, prevCommandQueue }: RedisClient, held: HeldOperations): void {
  if (commandQueue !== undefined && commandQueue !== prevCommandQueue) forget(commandsIn(commandQueue), held);
}

/**
 * To be called when a client is ready. With `autoResendUnfulfilledCommands: false`, what was on the lost connection is
 * dropped now.
 *
 * @returns whether commands were among it that ioredis had put into a pipeline of its own
 */
export function forgetUnsent({ options, prevCommandQueue }: RedisClient, held: HeldOperations): boolean {
  if (options.autoResendUnfulfilledCommands !== false || !prevCommandQueue) return false;
  return forget(commandsIn(prevCommandQueue), held);
}

/** A cluster's commands are lost with the connections of its nodes, if those come back (`clusterNodeRetryStrategy`). */
export function followNodes(admission: Admission): void {
  const pool = admission.client.connectionPool;
  if (pool?.createRedisFromOptions === undefined) return;
  const { createRedisFromOptions } = pool;
  for (const node of pool.getNodes('all')) followNode(node, admission);
  patchMethods(pool, {
    createRedisFromOptions(this: typeof pool, ...args: unknown[]) {
      const node = createRedisFromOptions.apply(this, args);
      followNode(node, admission);
      return node;
    },
  });
}

function followNode(node: RedisClient, admission: Admission): void {
  const { held } = admission;
  const setStatus = originalMethod(node, 'setStatus');
  const disconnect = originalMethod(node, 'disconnect');
  noticeGivingUp(node, admission);
  patchMethods(node, {
    setStatus(this: RedisClient, ...args: Parameters<RedisClient['setStatus']>) {
      setStatus().apply(this, args);
      if (args[0] === 'connecting') forgetUnready(node, held);
      if (args[0] === 'ready') forgetUnsent(node, held);
    },

    disconnect(this: RedisClient, ...args: unknown[]) {
      const wasWaiting = node.status === 'reconnecting' && !args[0];
      disconnect().apply(this, args);
      // The reconnect is cancelled, and nothing else would end what waits for it.
      if (!wasWaiting) return;
      const queues = [node.commandQueue, node.prevCommandQueue, node.offlineQueue];
      forget(queues.flatMap(commandsIn), held);
    },
  });
}

function commandsIn(queue: RedisClient['prevCommandQueue']): RedisCommand[] {
  return queue?.toArray().map(({ command }) => command) ?? [];
}

/** @returns whether commands were among them that ioredis had put into a pipeline of its own */
function forget(commands: readonly RedisCommand[], held: HeldOperations): boolean {
  if (commands.length === 0) return false;
  const dropped = new Set(commands);
  for (const command of dropped) {
    const hold = command[HELD];
    if (hold?.owner === held) hold.giveBack();
  }
  let joined = false;
  for (const hold of held) {
    if (!hold.pipeline?._queue.some((command) => dropped.has(command))) continue;
    joined ||= hold.operationClass.name !== 'pipeline';
    hold.giveBack();
  }
  return joined;
}
