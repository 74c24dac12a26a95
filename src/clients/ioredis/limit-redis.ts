import type { Limiter } from '../../core/limiter.js';
import { patchMethods } from '../shared/patch-methods.js';
import { isWrapped, markWrapped } from '../shared/wrapped.js';
import { Admission, rejectsLater } from './admission.js';
import { admitDelayed, admitJoining } from './auto-pipeline.js';
import { followConnection } from './follow-connection.js';
import { type Hold, isHold } from './hold.js';
import { hookCommand } from './hook-command.js';
import {
  HELD,
  NOT_OURS,
  type RedisClient,
  type RedisCommand,
  type RedisPipeline,
} from './ioredis-internals.js';
import { limitPipeline } from './limit-pipeline.js';
import { originalMethod } from './original-method.js';
import type { LimitedRedisOptions, ResolvedRedisOptions } from './redis-options.js';

export const KIND = 'LimitedRedis';

interface Limits {
  readonly limiter: Limiter;
  readonly resolved: ResolvedRedisOptions;
  /** As they were given. */
  readonly given: LimitedRedisOptions;
}

/**
 * Puts the gate in front of one client: single commands at `sendCommand`, which everything passes; pipelines at `exec`.
 *
 * @param node the name of the node that the client is, if it is one of a limited cluster
 */
export function limitRedis(client: RedisClient, limits: Limits, node?: string): void {
  const admission = new Admission(client, limits.limiter, limits.resolved, node);
  const pipeline = originalMethod(client, 'pipeline');
  const multi = originalMethod(client, 'multi');
  if (limits.resolved.blocking === 'exempt') admission.classes.blocking.waits = true;
  passUnknown(client);

  patchMethods(client, {
    sendCommand: sendCommandOf(admission),

    pipeline(this: RedisClient, ...args: unknown[]) {
      const made = pipeline().apply(this, args);
      if (this.options.enableAutoPipelining) admitJoining(admission, made);
      limitPipeline(admission, made);
      return made;
    },

    multi(this: RedisClient, ...args: unknown[]) {
      const made = multi().apply(this, args);
      // With `pipeline: false` it is the promise of a command.
      if ((made as Partial<RedisPipeline>)?.isPipeline) limitPipeline(admission, made as RedisPipeline);
      return made;
    },
  });
  passReadyCheck(admission);
  followConnection(admission);
  limitCopies(admission, limits, node !== undefined);
  if (client.delayUntilReady !== undefined) {
    patchMethods(client, {
      delayUntilReady: admitDelayed(admission, originalMethod(client, 'delayUntilReady')),
    });
  }
  markWrapped(client, { kind: KIND, limiter: limits.limiter, options: { ...limits.given } });
}

function sendCommandOf(admission: Admission) {
  const { client, held, transactions } = admission;
  // As originalMethod() has it, spelt out: this is the hot path.
  const own = Object.hasOwn(client, 'sendCommand') ? client.sendCommand : undefined;
  const prototype: RedisClient = Object.getPrototypeOf(client);

  /** @returns whether the command may be sent; one that may not has been rejected */
  function admit(command: RedisCommand): boolean {
    const hold = command[HELD];
    if (hold !== undefined && !(hold.owner === held && hold.state === 'given back')) {
      // It is sent another time, or is another's.
      if (hold.owner === held) transactions.sentAgain(command);
      return true;
    }
    // Part of a pipeline that was admitted: ioredis sends it again by itself (`reconnectOnError`).
    if (command.pipelineIndex !== undefined) return true;
    // A command that could not be made: its promise has rejected, and sending it throws.
    if (command.reject === undefined) return true;
    const taken = hold === undefined ? admission.take(command) : admission.takeAgain(command, hold);
    if (isHold(taken)) {
      hookCommand(admission, command, taken);
      return true;
    }
    if (rejectsLater(taken)) setImmediate(() => command.reject(taken));
    else command.reject(taken);
    return false;
  }

  function heldFor(command: RedisCommand): Hold | undefined {
    const hold = command[HELD];
    return hold?.owner === held ? hold : undefined;
  }

  return function (this: RedisClient, command: RedisCommand, stream?: unknown, node?: unknown) {
    const send = own ?? prototype.sendCommand;
    // Part of a pipeline: it was admitted at exec().
    if (stream) return send.call(this, command, stream, node);
    if (!admit(command)) return command.promise;
    try {
      const result = node === undefined ? send.call(this, command) : send.call(this, command, stream, node);
      if (admission.ended) admission.giveBackUnlessRejected(heldFor(command));
      return result;
    } catch (error) {
      // Arguments that can't be written.
      heldFor(command)?.settle(admission.classify(error));
      throw error;
    }
  };
}

/** What the client has under way already was never admitted; when it is sent again it must not be refused. */
function passUnknown(client: RedisClient): void {
  for (const queue of [client.commandQueue, client.offlineQueue, client.prevCommandQueue]) {
    for (const { command } of queue?.toArray() ?? []) command[HELD] ??= NOT_OURS;
  }
}

/** INFO and CLUSTER INFO are ordinary commands, but those with which ioredis looks whether the server is ready. */
function passReadyCheck(admission: Admission): void {
  const { client } = admission;
  for (const name of ['_readyCheck', 'readyCheck'] as const) {
    if (client[name] === undefined) continue;
    const check = originalMethod(client, name);
    patchMethods(client, {
      [name](this: RedisClient, ...args: unknown[]) {
        admission.checkingReadiness = true;
        try {
          return check().apply(this, args);
        } finally {
          admission.checkingReadiness = false;
        }
      },
    });
  }
}

/** Clients that come out of this one: duplicates and, of a cluster, its nodes. */
function limitCopies(admission: Admission, limits: Limits, isNode: boolean): void {
  const { client } = admission;
  const duplicate = originalMethod(client, 'duplicate');
  const nodes = originalMethod(client, 'nodes');

  patchMethods(client, {
    duplicate(this: RedisClient, ...args: unknown[]) {
      const copy = duplicate().apply(this, args);
      // A subclass may return one that it has limited, or returned before.
      const isLimited = isWrapped(copy, KIND) || !limits.resolved.limitDuplicates;
      if (!isLimited && !isInternal(args[0], isNode)) limitRedis(copy, limits);
      return copy;
    },
  });
  if (client.nodes === undefined) return;
  patchMethods(client, {
    nodes(this: RedisClient, ...args: unknown[]) {
      const found = nodes().apply(this, args);
      for (const node of found) {
        if (isWrapped(node, KIND)) continue;
        limitRedis(node, limits, `${node.options.host}:${node.options.port}`);
      }
      return found;
    },
  });
}

/** `monitor()` makes a duplicate that takes no commands; a cluster asks for its slots on duplicates of its nodes. */
function isInternal(override: unknown, isNode: boolean): boolean {
  const { monitor, connectionName } = (override ?? {}) as { monitor?: unknown; connectionName?: unknown };
  return monitor === true || (isNode && String(connectionName).startsWith('ioredis-cluster('));
}
