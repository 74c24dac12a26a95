import { patchMethods } from '../shared/patch-methods.js';
import type { Checkout, Lender, Slot } from './checkout.js';
import { measureConnection } from './measure-connection.js';
import type { MysqlContext } from './mysql-context.js';
import type { Callback, MysqlConnection, MysqlPool, MysqlQueue } from './mysql-internals.js';
import { Requeued } from './requeued.js';

/**
 * Where connections of one core pool come back: every end of a checkout passes `releaseConnection` (`release`, `destroy`,
 * `Symbol.dispose`, a lost connection), unless the pool was ended.
 */
export class PoolReturns implements Lender {
  readonly requeued: Requeued;
  readonly #context: MysqlContext;
  readonly #pool: MysqlPool;
  readonly #releaseConnection: MysqlPool['releaseConnection'];
  /** Made once for each connection: a map that changes with each checkout would cost more. */
  readonly #slots = new WeakMap<MysqlConnection, Slot>();

  constructor(context: MysqlContext, pool: MysqlPool, onEnd?: () => void) {
    this.#context = context;
    this.#pool = pool;
    this.requeued = new Requeued(pool, context.gate.clock.now);
    const { releaseConnection, end } = pool;
    this.#releaseConnection = releaseConnection;
    const returns = this;
    patchMethods(pool, {
      releaseConnection(this: MysqlPool, connection: MysqlConnection) {
        const checkout = returns.#slots.get(connection)?.checkout;
        if (checkout !== undefined) {
          checkout.release(connection._pool == null);
          return undefined;
        }
        if (connection?._pool && isFree(pool, connection)) {
          // Given back twice, mysql2 would lend it to two at once.
          context.gate.doubleReleases++;
          return undefined;
        }
        return releaseConnection.call(this, connection);
      },

      end(this: MysqlPool, callback?: Callback) {
        const result = end.call(this, callback);
        for (const connection of itemsOf(pool._allConnections)) {
          returns.#slots.get(connection)?.checkout?.poolEnded();
        }
        onEnd?.();
        return result;
      },
    });
  }

  /** A checkout begins. */
  lend(connection: MysqlConnection, checkout: Checkout): void {
    const { gate } = this.#context;
    let slot = this.#slots.get(connection);
    const isNew = slot === undefined;
    if (slot === undefined) {
      slot = { checkout: undefined };
      this.#slots.set(connection, slot);
      measureConnection(this.#context, connection, slot);
    }
    const openingSince = this.requeued.takeOpeningSince();
    if (!Number.isNaN(checkout.askedAt)) {
      const now = gate.clock.now();
      checkout.lentAt = now;
      if (!isNew) gate.recordPoolWait(now - checkout.askedAt, now);
      else {
        if (openingSince !== undefined) gate.recordPoolWait(openingSince - checkout.askedAt, now);
        // The opening of a connection says nothing about how busy the pool is.
        gate.recordConnectTime(now - (openingSince ?? checkout.askedAt), now);
      }
    }
    slot.checkout = checkout;
    checkout.begin(connection, slot, this);
    // Chosen a tick ago; since then the pool was ended, or the connection destroyed.
    if (this.#pool._closed || connection._pool == null) checkout.cameToNothing();
  }

  /** A checkout ends without a connection; it may have waited for the one that could not be opened. */
  lendNothing({ askedAt }: Checkout): void {
    const openingSince = this.requeued.takeOpeningSince();
    if (openingSince !== undefined && !Number.isNaN(askedAt)) {
      this.#context.gate.recordPoolWait(openingSince - askedAt);
    }
  }

  giveBack(connection: MysqlConnection): void {
    if (!this.#pool._closed) this.#releaseConnection.call(this.#pool, connection);
  }
}

/** Of a pool that has been ended. */
export function leavesWaiting({ _connectionQueue }: MysqlPool): boolean {
  return (_connectionQueue?.length ?? 0) > 0;
}

function isFree(pool: MysqlPool, connection: MysqlConnection): boolean {
  return itemsOf(pool._freeConnections).includes(connection);
}

function itemsOf<T>(queue: MysqlQueue<T> | undefined): T[] {
  return Array.from({ length: queue?.length ?? 0 }, (_, index) => queue!.get(index));
}
