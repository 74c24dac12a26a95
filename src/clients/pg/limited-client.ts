import type { Client } from 'pg';
import { complaint } from '../../core/option-checks.js';
import { limiterFrom, refuseMisplacedOptions } from '../shared/client-options.js';
import { isObjectWith } from '../shared/is-object-with.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { refuseSubclass } from '../shared/refuse-subclass.js';
import { isAlreadyWrapped, isWrapped, markWrapped } from '../shared/wrapped.js';
import { limitClient } from './limit-client.js';
import type { PgClient } from './pg-internals.js';
import { type LimitedClientOptions, POOL_OPTION_NAMES, resolveClientOptions } from './pool-options.js';

/** A client of pg's with a {@link LimiterHandle}: the client itself, not a copy. */
export type LimitedClient<C extends Client = Client> = C & LimiterHandle;

export interface LimitedClientConstructor {
  /** Limits a client that is there already: that very object is patched and returned. */
  new <C extends Client>(client: C, options?: LimitedClientOptions): LimitedClient<C>;
  /**
   * Makes a client and limits it.
   *
   * @param Client `pg.Client`, or a class of its kind
   * @param args what that class's constructor takes: for `pg.Client` its configuration
   */
  new <C extends Client, A extends unknown[]>(
    Client: new (...args: A) => C,
    options?: LimitedClientOptions,
    ...args: NoInfer<A>
  ): LimitedClient<C>;
  readonly prototype: LimitedClient;
}

/**
 * A standalone `pg.Client` whose queries are admitted by a limiter; for libraries that pool connections themselves (knex,
 * sequelize: see {@link limitClientClass}). For a `pg.Pool` take `LimitedPool`; its clients must not be wrapped again.
 *
 * A query takes a permit. One that opens a transaction keeps it until the transaction has ended, and the queries inside
 * need none, so nothing is rejected in the middle of a transaction.
 *
 * @throws TypeError | RangeError for options that are no good, for what is no client, and for a client that has another limiter
 */
export const LimitedClient: LimitedClientConstructor = class LimitedClient {
  constructor(clientOrClass: unknown, options: LimitedClientOptions = {}, ...args: unknown[]) {
    refuseSubclass(new.target, LimitedClient, 'Client of pg');
    const resolved = resolveClientOptions(options);
    refuseMisplacedOptions('LimitedClient', args, POOL_OPTION_NAMES);
    const client = clientFrom(clientOrClass, args);
    // biome-ignore lint/correctness/noConstructorReturn: the limited client is the client itself
    if (isAlreadyWrapped(client, 'LimitedClient', { ...options })) return client as never;
    const limiter = limiterFrom(options, 'pg');
    limitClient(client, limiter, resolved);
    markWrapped(client, { kind: 'LimitedClient', limiter, options: { ...options } });
    // biome-ignore lint/correctness/noConstructorReturn: the limited client is the client itself
    return client as never;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isWrapped(value, 'LimitedClient');
  }
} as unknown as LimitedClientConstructor;

/**
 * A class to put where a library expects `pg.Client`: every client it makes is limited, all by one limiter.
 *
 * @returns the class, with that limiter on it
 */
export function limitClientClass<C extends Client, A extends unknown[]>(
  Client: new (...args: A) => C,
  options: LimitedClientOptions = {},
): (new (...args: A) => LimitedClient<C>) & LimiterHandle {
  resolveClientOptions(options);
  if (typeof Client !== 'function') throw new TypeError(complaint('the class', CLASS_RULE, Client));
  checkClientClass(Client);
  const limiter = limiterFrom(options, 'pg');
  const { abandonedStatements, abandonedTimeoutMs } = options;
  // A proxy, not a subclass: libraries look at `constructor.name`, statics and `instanceof`.
  return new Proxy(Client, {
    construct: (target, args, newTarget) =>
      new LimitedClient(Reflect.construct(target, args, newTarget) as C, {
        limiter,
        abandonedStatements,
        abandonedTimeoutMs,
      }),
    get: (target, key, receiver) => (key === 'limiter' ? limiter : Reflect.get(target, key, receiver)),
  }) as never;
}

const CLASS_RULE = 'pg.Client or a class of its kind (for a pg.Pool there is LimitedPool)';
const RULE = 'pg.Client or a client of its kind (for a pg.Pool there is LimitedPool)';
const MEMBERS = ['connect', 'query', 'end'];

function clientFrom(clientOrClass: unknown, args: readonly unknown[]): PgClient {
  if (typeof clientOrClass === 'function') {
    checkClientClass(clientOrClass);
    return new (clientOrClass as unknown as new (...args: readonly unknown[]) => PgClient)(...args);
  }
  if (!isClient(clientOrClass)) throw new TypeError(complaint('the client', RULE, clientOrClass));
  if (args.length > 0) {
    throw new TypeError(complaint("the client's configuration", 'absent for a client that exists', args[0]));
  }
  return clientOrClass as PgClient;
}

// biome-ignore lint/complexity/noBannedTypes: any function, to look whether it is the right class
function checkClientClass(Client: Function): void {
  if (!isClient(Client.prototype)) throw new TypeError(complaint('the class', CLASS_RULE, Client));
}

/** A pool has these methods too, and counts its clients. */
function isClient(value: unknown): boolean {
  return isObjectWith(value, MEMBERS) && !('totalCount' in value);
}
