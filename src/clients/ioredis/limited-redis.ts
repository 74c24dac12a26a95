import type { Redis } from 'ioredis';
import { complaint } from '../../core/option-checks.js';
import { limiterFrom, refuseMisplacedOptions } from '../shared/client-options.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { refuseSubclass } from '../shared/refuse-subclass.js';
import { isAlreadyWrapped, isWrapped } from '../shared/wrapped.js';
import type { RedisClient } from './ioredis-internals.js';
import { KIND, limitRedis } from './limit-redis.js';
import type {
  ConstructorArguments,
  InstanceOf,
  LimitedDuplicate,
  RedisClass,
  RedisLike,
} from './redis-like.js';
import { type LimitedRedisOptions, resolveRedisOptions } from './redis-options.js';

/** A client of ioredis with a {@link LimiterHandle}: the client itself, not a copy. Its duplicates are limited too. */
export type LimitedRedis<R extends RedisLike = Redis> = LimitedDuplicate<R> & R & LimiterHandle;

/** Its duplicates are not limited. */
interface Unlimited extends LimitedRedisOptions {
  readonly limitDuplicates: false;
}

export interface LimitedRedisConstructor {
  /** With `limitDuplicates: false`, of a client that is there already. */
  new <R extends RedisLike>(client: R, options: Unlimited): R & LimiterHandle;
  /** With `limitDuplicates: false`, of a class. */
  new <C extends RedisClass, const A extends ConstructorArguments<C>>(
    Redis: C,
    options: Unlimited,
    ...args: A
  ): InstanceOf<C, A> & LimiterHandle;
  /**
   * Limits a client that is there already: that very object is patched and returned. A client that has been limited
   * before is returned as it is.
   */
  new <R extends RedisLike>(client: R, options?: LimitedRedisOptions): LimitedRedis<R>;
  /**
   * Makes a client and limits it.
   *
   * @param Redis `Redis` or `Cluster` of ioredis, or a class of their kind; `Redis<'resp3'>` with `replyMapping: 'resp3'`
   * @param args what that class's constructor takes
   */
  new <C extends RedisClass, const A extends ConstructorArguments<C>>(
    Redis: C,
    options?: LimitedRedisOptions,
    ...args: A
  ): LimitedRedis<InstanceOf<C, A>>;
  readonly prototype: LimitedRedis;
}

/**
 * A `Redis` or `Cluster` of ioredis whose commands are admitted by a limiter, at most `maxConcurrentOps` at a time; the
 * others fail at once with a `BackpressureError`, before anything is sent. Everything else is the client's own: the object
 * *is* the client.
 *
 * A command holds one permit until the server's answer is there, whatever `commandTimeout` has told its caller; a pipeline
 * or MULTI one for each of its commands, admitted or refused as a whole. What keeps a connection alive passes free:
 * handshake, `SELECT`, subscriptions, the ready check. Blocking commands are counted apart; see the option `blocking`.
 *
 * Gotcha: give a library that runs in the background (BullMQ, a session store) a client with a limiter of its own, or your
 * requests will refuse its commands.
 *
 * @throws TypeError | RangeError for options that are no good, for what is no client of ioredis, and for a client that has
 * another limiter
 */
export const LimitedRedis: LimitedRedisConstructor = class LimitedRedis {
  constructor(clientOrClass: unknown, options: LimitedRedisOptions = {}, ...args: unknown[]) {
    refuseSubclass(new.target, LimitedRedis, 'Redis or Cluster of ioredis');
    const resolved = resolveRedisOptions(options);
    refuseMisplacedOptions(KIND, args, ['pipelineWeight', 'limitDuplicates']);
    const client = clientFrom(clientOrClass, args);
    if (!isAlreadyWrapped(client, KIND, { ...options })) {
      limitRedis(client, { limiter: limiterFrom(options, 'redis'), resolved, given: options });
    }
    // biome-ignore lint/correctness/noConstructorReturn: the limited client is the client itself
    return client as never;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isWrapped(value, KIND);
  }
} as unknown as LimitedRedisConstructor;

const RULE = 'Redis or Cluster of ioredis, or one of their instances';
const MEMBERS = ['sendCommand', 'pipeline', 'multi', 'duplicate', 'defineCommand', 'setStatus'];

function clientFrom(clientOrClass: unknown, args: readonly unknown[]): RedisClient {
  if (typeof clientOrClass === 'function') {
    // Looked at before it is constructed: the constructor of something else may do anything.
    if (!isClient(clientOrClass.prototype)) throw new TypeError(complaint('the client', RULE, clientOrClass));
    return new (clientOrClass as new (...args: readonly unknown[]) => RedisClient)(...args);
  }
  if (!isClient(clientOrClass)) throw new TypeError(complaint('the client', RULE, clientOrClass));
  if (args.length > 0) {
    const rule = 'absent for a client that exists (give the class, Redis or Cluster, to have one made)';
    throw new TypeError(complaint("the client's own options", rule, args[0]));
  }
  return clientOrClass as RedisClient;
}

function isClient(value: unknown): value is object {
  return typeof value === 'object' && value !== null && MEMBERS.every((member) => member in value);
}
