import type { OperationClass } from '../../core/operation-class.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { Permit } from '../../core/permit.js';
import { AbandonedStatement, hasActiveStatement } from './abandoned-statement.js';
import { cancelStatement } from './cancel-statement.js';
import { outcomeOfPgError } from './outcomes.js';
import type { PgClient, Release } from './pg-internals.js';
import type { PoolContext } from './pool-context.js';

/**
 * One client, checked out once: holds its permit until the client is back *and* the server has nothing left to do for it.
 *
 * One object per checkout, never per client: pg-pool's `release` hands the same client to the next waiter before it
 * returns.
 */
export class Checkout {
  readonly operationClass: OperationClass;
  readonly #context: PoolContext;
  readonly #permit: Permit;
  #client!: PgClient;
  #giveBack!: Release;
  #outcome: Outcome = 'ignored';
  #openQueries = 0;
  /** A `query_timeout` fired; its statement may still be on the wire. */
  #timedOut = false;
  #released = false;
  /** By {@link reclaim}, not by its holder. */
  #reclaimed = false;
  #onQueriesDone: (() => void) | undefined;
  #reclaimTimer: NodeJS.Timeout | undefined;

  constructor(context: PoolContext, operationClass: OperationClass, permit: Permit) {
    this.#context = context;
    this.operationClass = operationClass;
    this.#permit = permit;
  }

  /** The pool hands the client over: from now on its `release` is ours. */
  begin(client: PgClient): Release {
    this.#client = client;
    this.#giveBack = client.release;
    const release: Release = (error) => this.#release(error);
    client.release = release;
    const { maxCheckoutMs } = this.#context.options;
    if (maxCheckoutMs !== undefined) {
      this.#reclaimTimer = setTimeout(() => this.#reclaim(maxCheckoutMs), maxCheckoutMs);
      this.#reclaimTimer.unref();
    }
    return release;
  }

  /** The pool had no client for it. */
  fail(outcome: Outcome): void {
    this.#permit.release(outcome);
  }

  queryStarted(): void {
    this.#openQueries++;
  }

  querySettled(outcome: Outcome, timedOut: boolean): void {
    this.#openQueries--;
    this.#timedOut = timedOut;
    this.#outcome = worseOutcome(this.#outcome, outcome);
    if (this.#openQueries === 0) this.#onQueriesDone?.();
  }

  #release(error: unknown): void {
    if (this.#reclaimed) {
      // The holder comes late with a client that was taken from it: its first release is no mistake.
      this.#reclaimed = false;
      return;
    }
    if (this.#released) {
      this.#permit.release();
      throw new Error('Release called on client which has already been released to the pool.');
    }
    this.#finish(error);
  }

  #finish(error: unknown): void {
    this.#released = true;
    clearTimeout(this.#reclaimTimer);
    if (error !== true && error) {
      this.#outcome = worseOutcome(this.#outcome, this.#context.limiter.classify(error, outcomeOfPgError));
    }
    const onWire = hasActiveStatement(this.#client);
    if (onWire && this.#timedOut) this.#waitForServer(error);
    else if (onWire && error) this.#destroyUnderStatement(error);
    else if (onWire && this.#openQueries > 0) this.#giveBackUnderQueries();
    else {
      this.#returnPermit();
      this.#giveBack(error);
    }
  }

  /** The caller has its timeout; the permit and the pool's place stay with the statement until the server is done. */
  #waitForServer(error: unknown): void {
    const { options, abandoned, pool } = this.#context;
    const client = this.#client;
    if (pool.options.allowExitOnIdle) client.unref?.();
    const statement = new AbandonedStatement(
      client,
      true,
      options.abandonedTimeoutMs,
      pool.options.stream,
      (gaveUp) => {
        abandoned.delete(statement);
        this.#returnPermit();
        this.#giveBack(error || gaveUp);
      },
    );
    abandoned.add(statement);
    if (options.abandonedStatements === 'cancel' || pool.ending) void statement.cancel();
  }

  /** `release(true)` with a statement running: pg drops the connection at once, so the server is told to stop it. */
  #destroyUnderStatement(error: unknown): void {
    void cancelStatement(this.#client, this.#context.pool.options.stream).then(() => this.#returnPermit());
    this.#giveBack(error);
  }

  /** Released before its queries ended: pg lets them run on, and so does the permit. */
  #giveBackUnderQueries(): void {
    this.#onQueriesDone = () => {
      this.#onQueriesDone = undefined;
      this.#returnPermit();
    };
    this.#giveBack();
  }

  #reclaim(afterMs: number): void {
    this.#reclaimed = true;
    this.#finish(new Error(`floodgate: the client was held for more than maxCheckoutMs (${afterMs} ms)`));
  }

  #returnPermit(): void {
    this.#permit.release(this.#outcome === 'ignored' ? 'success' : this.#outcome);
  }
}
