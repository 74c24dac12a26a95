import { patchMethods } from '../shared/patch-methods.js';
import type { Admission } from './admission.js';
import { HELD, type RedisClient, type RedisCommand, type RedisPipeline } from './ioredis-internals.js';
import { timedCommands } from './late-replies.js';
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
export function forgetUnready({ commandQueue, prevCommandQueue }: RedisClient, admission: Admission): void {
  if (commandQueue !== undefined && commandQueue !== prevCommandQueue) {
    forget(commandsIn(commandQueue), admission);
  }
}

/**
 * To be called when a client is ready. With `autoResendUnfulfilledCommands: false`, what was on the lost connection is
 * dropped now.
 */
export function forgetUnsent({ options, prevCommandQueue }: RedisClient, admission: Admission): void {
  if (options.autoResendUnfulfilledCommands === false) forget(commandsIn(prevCommandQueue), admission);
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
  const setStatus = originalMethod(node, 'setStatus');
  const disconnect = originalMethod(node, 'disconnect');
  noticeGivingUp(node, admission);
  patchMethods(node, {
    setStatus(this: RedisClient, ...args: Parameters<RedisClient['setStatus']>) {
      setStatus().apply(this, args);
      if (args[0] === 'connecting') forgetUnready(node, admission);
      if (args[0] === 'ready') forgetUnsent(node, admission);
    },

    disconnect(this: RedisClient, ...args: unknown[]) {
      const wasWaiting = node.status === 'reconnecting' && !args[0];
      disconnect().apply(this, args);
      // The reconnect is cancelled, and nothing else would end what waits for it.
      if (!wasWaiting) return;
      const queues = [node.commandQueue, node.prevCommandQueue, node.offlineQueue];
      forget(queues.flatMap(commandsIn), admission);
    },
  });
}

function commandsIn(queue: RedisClient['prevCommandQueue']): RedisCommand[] {
  return queue?.toArray().map(({ command }) => command) ?? [];
}

function forget(commands: readonly RedisCommand[], admission: Admission): void {
  if (commands.length === 0) return;
  const { held, stuck } = admission;
  // Dropped or not, ioredis' own timer answers these: what waits behind them will be sent.
  const timed = timedCommands(admission);
  const isTimedOutLater = ({ _blockingDeadline }: RedisCommand) =>
    timed === 'all' || _blockingDeadline !== undefined;
  const dropped = new Set(commands);
  for (const command of dropped) {
    const hold = command[HELD];
    if (hold?.owner === held) hold.giveBack();
  }
  const pipelines = new Set<RedisPipeline>();
  for (const hold of held) {
    const { pipeline } = hold;
    if (!pipeline?._queue.some((command) => dropped.has(command))) continue;
    pipelines.add(pipeline);
    hold.giveBack();
  }
  for (const pipeline of pipelines) {
    const silent = pipeline._queue.some((command) => dropped.has(command) && !isTimedOutLater(command));
    if (silent) stuck.neverAnswered(pipeline);
  }
}
