import type { Client, ConfigOptions } from 'aerospike';
import { complaint } from '../../core/option-checks.js';
import { limiterFrom, refuseMisplacedOptions } from '../shared/client-options.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { defineHidden } from '../shared/patch-methods.js';
import { refuseSubclass } from '../shared/refuse-subclass.js';
import { isAlreadyWrapped, isWrapped, markWrapped } from '../shared/wrapped.js';
import { type AerospikeClient, isAerospikeClient } from './aerospike-internals.js';
import { checkAerospikeOptions, type LimitedAerospikeOptions } from './aerospike-options.js';
import { defaultLimit, warnAboveCapacity } from './capacity.js';
import { type AerospikeConnectionStats, ConnectionStats } from './connection-stats.js';
import { limitClient } from './limit-client.js';

/** What a limited client has on top of the client's own members. */
export interface AerospikeHandle extends LimiterHandle {
  /**
   * What the client's connections do: `client.stats()`, read at most once a second and only when asked. `undefined` while
   * the client is not connected.
   */
  connectionStats(): AerospikeConnectionStats | undefined;
}

/** A client of aerospike's with a {@link LimiterHandle}: the client itself, not a copy. */
export type LimitedAerospike<C extends Client = Client> = C & AerospikeHandle;

export interface LimitedAerospikeConstructor {
  /**
   * Limits a client that is there already, connected or not: that very object is patched and returned. A client that has
   * been limited before is returned as it is.
   */
  new <C extends Client>(client: C, options?: LimitedAerospikeOptions): LimitedAerospike<C>;
  /**
   * Makes a client, as `Aerospike.client(config)` does, and limits it. It is to be connected by `connect()`.
   *
   * @param clientClass `Aerospike.Client`
   * @param config aerospike's own configuration
   */
  new (
    clientClass: typeof Client,
    options?: LimitedAerospikeOptions,
    config?: ConfigOptions,
  ): LimitedAerospike;
  /**
   * @param clientClass a class of its kind
   * @param args what that class's constructor takes
   */
  new <C extends Client, A extends unknown[]>(
    clientClass: new (...args: A) => C,
    options?: LimitedAerospikeOptions,
    ...args: NoInfer<A>
  ): LimitedAerospike<C>;
  readonly prototype: LimitedAerospike;
}

/**
 * An Aerospike client whose operations are admitted by a limiter, at most `maxConcurrentOps` at a time; the others fail at
 * once with an error that is a `BackpressureError` and an `AerospikeError`. Everything else is the client's own: the object
 * *is* the client.
 *
 * One permit is one operation, however many records it brings; a batch may take more (`batchWeight`). Commit, abort, info
 * and job polls are counted and never refused.
 *
 * Gotcha: after a client-side timeout the permit is back, since the client has dropped the connection and nothing more can
 * be known; the server may still be at work.
 *
 * @throws TypeError | RangeError for options that are no good, for what is no client, and for one that has another limiter
 */
export const LimitedAerospike: LimitedAerospikeConstructor = class LimitedAerospike {
  constructor(clientOrClass: unknown, options: LimitedAerospikeOptions = {}, ...args: unknown[]) {
    refuseSubclass(new.target, LimitedAerospike, 'Client of aerospike');
    checkAerospikeOptions(options);
    refuseMisplacedOptions('LimitedAerospike', args, ['batchWeight']);
    const client = clientFrom(clientOrClass, args);
    // biome-ignore lint/correctness/noConstructorReturn: the limited client is the client itself
    if (isAlreadyWrapped(client, 'LimitedAerospike', { ...options })) return client as never;
    const ownLimit = options.limiter === undefined && options.maxConcurrentOps === undefined;
    const limiter = limiterFrom(
      ownLimit ? { ...options, maxConcurrentOps: defaultLimit(client) } : options,
      'aerospike',
    );
    limitClient(client, limiter, options.batchWeight);
    const stats = new ConnectionStats(client, limiter.gate.clock);
    defineHidden(client, 'connectionStats', () => stats.read());
    markWrapped(client, { kind: 'LimitedAerospike', limiter, options: { ...options } });
    warnAboveCapacity(client, limiter.maxConcurrentOps);
    // biome-ignore lint/correctness/noConstructorReturn: the limited client is the client itself
    return client as never;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isWrapped(value, 'LimitedAerospike');
  }
} as unknown as LimitedAerospikeConstructor;

const RULE = 'Aerospike.Client or a client of its kind';

function clientFrom(clientOrClass: unknown, args: readonly unknown[]): AerospikeClient {
  if (typeof clientOrClass === 'function') {
    // Looked at before it is constructed: the constructor of something else may do anything.
    if (!isAerospikeClient(clientOrClass.prototype))
      throw new TypeError(complaint('the client', RULE, clientOrClass));
    return new (clientOrClass as new (...args: readonly unknown[]) => AerospikeClient)(...args);
  }
  if (!isAerospikeClient(clientOrClass)) throw new TypeError(complaint('the client', RULE, clientOrClass));
  if (args.length > 0) {
    throw new TypeError(complaint("the client's configuration", 'absent for a client that exists', args[0]));
  }
  return clientOrClass;
}
