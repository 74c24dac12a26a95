import type { Gate } from '../../core/gate.js';
import type { Checkout } from './checkout.js';
import type { PgClient, PgPool } from './pg-internals.js';
import type { WaitingCheckouts } from './waiting-checkouts.js';

/**
 * Tells a checkout's wait in the pool's queue apart from the opening of a connection for it; what waits for room in the pool
 * and then has a connection opened has both. pg-pool tells when a connection is open. That it begins to open one shows in
 * that it makes a client, of the class which it has as its `Client`.
 */
export class PoolTimes {
  readonly #gate: Gate;
  readonly #pool: PgPool;
  readonly #waiting: WaitingCheckouts;
  /** Not of a pool that has no `Client`: the first checkout of a client counts as its opening, as a whole. */
  readonly #seesOpenings: boolean;
  /** When the opening of a client began: a reading of the clock. */
  readonly #begun = new WeakMap<PgClient, number>();
  /** For whom the pool is being asked in this very step. */
  #asking: Checkout | undefined;

  constructor(gate: Gate, pool: PgPool, waiting: WaitingCheckouts) {
    this.#gate = gate;
    this.#pool = pool;
    this.#waiting = waiting;
    const { Client } = pool;
    this.#seesOpenings = typeof Client === 'function';
    if (typeof Client !== 'function') return;
    // Defined, not assigned: a pool of the user's own make may have a getter.
    const value = this.#watched(Client);
    Object.defineProperty(pool, 'Client', { value, writable: true, configurable: true, enumerable: true });
  }

  /** The pool is being asked for a client. @returns for whom it was being asked already, to go to {@link asked} */
  ask(checkout: Checkout): Checkout | undefined {
    const outer = this.#asking;
    this.#asking = checkout;
    return outer;
  }

  asked(outer: Checkout | undefined): void {
    this.#asking = outer;
  }

  /** @param isFirst whether nobody has had the client before */
  handedOver({ askedAt }: Checkout, client: PgClient, isFirst: boolean): void {
    if (Number.isNaN(askedAt)) return;
    const now = this.#gate.clock.now();
    const begun = isFirst ? this.#begunFor(client, askedAt) : undefined;
    if (begun === undefined) this.#gate.recordPoolWait(now - askedAt, now);
    else {
      if (begun > askedAt) this.#gate.recordPoolWait(begun - askedAt, now);
      this.#gate.recordConnectTime(now - begun, now);
    }
  }

  /** What has failed has not been opened in any time, but it may have waited for its turn, or have done nothing else. */
  failed({ askedAt, openingSince }: Checkout): void {
    if (Number.isNaN(askedAt) || openingSince === askedAt || !this.#seesOpenings) return;
    const now = this.#gate.clock.now();
    this.#gate.recordPoolWait((openingSince ?? now) - askedAt, now);
  }

  /** @returns `undefined` if it was opened for somebody else, whose time was up, or before the pool was limited */
  #begunFor(client: PgClient, askedAt: number): number | undefined {
    if (!this.#seesOpenings) return askedAt;
    const begun = this.#begun.get(client);
    return begun !== undefined && begun >= askedAt ? begun : undefined;
  }

  #watched(Client: PgClientClass): PgClientClass {
    const begin = () => this.#begin();
    const begun = this.#begun;
    // A proxy, not a subclass: what it makes has the very class as its constructor.
    const watched: PgClientClass = new Proxy(Client, {
      construct(target, args, newTarget) {
        const at = begin();
        const client = Reflect.construct(target, args, newTarget === watched ? target : newTarget);
        begun.set(client, at);
        return client;
      },
    });
    return watched;
  }

  #begin(): number {
    const asking = this.#asking;
    // There was room: from the first moment on, it is the opening that takes its time.
    const at = asking === undefined ? this.#gate.clock.now() : asking.askedAt;
    const checkout = asking ?? this.#waiting.nextInLine(this.#pool.waitingCount);
    if (checkout !== undefined) checkout.openingSince = at;
    return at;
  }
}

type PgClientClass = NonNullable<PgPool['Client']>;
