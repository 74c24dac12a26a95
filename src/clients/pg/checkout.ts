import type { OperationClass } from '../../core/operation-class.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { Cohort } from '../../core/permit-ages.js';
import { settleCheckout } from '../../core/settle-checkout.js';
import { AbandonedStatement, hasActiveStatement } from './abandoned-statement.js';
import { abortError } from './abort-error.js';
import { cancelStatement } from './cancel-statement.js';
import { outcomeOfPgError } from './outcomes.js';
import type { ConnectCallback, PgClient, Release } from './pg-internals.js';
import type { PoolContext } from './pool-context.js';

/**
 * Whether a query was given up by `query_timeout`, and what its connection is good for: after a `'statement'` one can wait
 * for the server to end it; a `'copy'` leaves a connection that neither side can go on with.
 */
export type TimedOut = false | 'statement' | 'copy';

/**
 * One client, checked out once: holds its permit until the client is back *and* the server has nothing left to do for it.
 *
 * One object per checkout, never per client: pg-pool's `release` hands the same client to the next waiter before it
 * returns.
 */
export class Checkout {
  readonly operationClass: OperationClass;
  readonly #context: PoolContext;
  /** Permits it holds; 0 if it rides on another's. */
  readonly #weight: number;
  readonly #cohort: Cohort;
  #permitBack = false;
  #client!: PgClient;
  #giveBack!: Release;
  /** The worst so far; absent until something has happened. */
  #outcome: Outcome | undefined;
  #openQueries = 0;
  /** A `query_timeout` fired; its statement may still be on the wire. */
  #timedOut: TimedOut = false;
  /** Queries since a `query_timeout` that the server may still have before it, however they were answered. */
  #unanswered = 0;
  #released = false;
  /** Its place among those that wait for the pool; -1 if it does not. */
  waitingAt = -1;
  /** Its number in the order of asking. */
  turn = 0;
  /** Since when the pool has been opening a connection for it: {@link askedAt} if it had room at once. */
  openingSince: number | undefined;
  /** While it waited: at a drain's deadline. */
  refused = false;
  /** By {@link reclaim}, not by its holder. */
  #reclaimed = false;
  #onQueriesDone: (() => void) | undefined;
  #reclaimTimer: NodeJS.Timeout | undefined;

  /** Who asked for the client, for as long as the pool has not answered. */
  readonly callback: ConnectCallback;
  /** What they called, for a rejection. */
  readonly operation: string;
  /** A reading of the clock; `NaN` if this checkout goes untimed. */
  readonly askedAt: number;

  /** Takes the permit, which it is itself: one object a checkout. The caller has asked the gate. */
  constructor(
    context: PoolContext,
    operationClass: OperationClass,
    weight: number,
    callback: ConnectCallback,
    operation: string,
  ) {
    this.callback = callback;
    this.operation = operation;
    this.#context = context;
    this.operationClass = operationClass;
    this.#weight = weight;
    this.askedAt = context.gate.clock.sample();
    this.#cohort = context.gate.admit(operationClass, weight, this.askedAt);
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
    this.#settle(outcome);
  }

  queryStarted(): void {
    this.#openQueries++;
  }

  querySettled(outcome: Outcome, timedOut: TimedOut): void {
    this.#openQueries--;
    this.#timedOut = timedOut;
    // In order: a query that the server has answered shows that it is done with those before it.
    if (outcome === 'success' || outcome === 'failed') this.#unanswered = 0;
    else if (timedOut || this.#unanswered > 0) this.#unanswered++;
    this.#note(outcome);
    if (this.#openQueries === 0) this.#onQueriesDone?.();
  }

  #release(error: unknown): void {
    if (this.#reclaimed) {
      // The holder comes late with a client that was taken from it: its first release is no mistake.
      this.#reclaimed = false;
      return;
    }
    if (this.#released) {
      this.#context.gate.doubleReleases++;
      throw new Error('Release called on client which has already been released to the pool.');
    }
    this.#finish(error);
  }

  #finish(error: unknown): void {
    this.#released = true;
    clearTimeout(this.#reclaimTimer);
    if (error !== true && error) {
      this.#note(this.#context.limiter.classify(error, outcomeOfPgError));
    }
    const onWire = hasActiveStatement(this.#client);
    // pg drops the connection when a query times out in pipeline mode: nothing will tell when the server is done.
    const dropped = this.#unanswered > 0 && this.#client._queryable === false;
    if (onWire && this.#timedOut === 'statement') this.#waitForServer(error);
    else if (dropped || (onWire && (error || this.#timedOut))) this.#destroyUnderStatement(error || true);
    else if (!error && this.#openQueries > 0) this.#giveBackUnderQueries();
    else {
      this.#returnPermit();
      this.#giveBack(error);
    }
  }

  /** The caller has its timeout; the permit and the pool's place stay with the statement until the server is done. */
  #waitForServer(error: unknown): void {
    const { options, abandoned, pool } = this.#context;
    const client = this.#client;
    // Nobody waits for it: it keeps no process alive, as it would not with pg.
    client.unref?.();
    const statement = new AbandonedStatement(
      client,
      true,
      options.abandonedTimeoutMs,
      pool.options.stream,
      (gaveUp) => {
        abandoned.delete(statement);
        this.#returnPermit();
        if (!pool.options.allowExitOnIdle) client.ref?.();
        this.#giveBack(error || gaveUp);
      },
    );
    abandoned.add(statement);
    if (options.abandonedStatements === 'cancel' || this.#context.isEnding()) void statement.cancel();
  }

  /** The connection goes at once, with a statement running: the server is told to stop it, and what is queued behind it. */
  #destroyUnderStatement(error: unknown): void {
    void this.#cancelAll().finally(() => this.#returnPermit());
    this.#giveBack(error);
  }

  async #cancelAll(): Promise<void> {
    for (let statements = Math.max(1, this.#unanswered); statements > 0; statements--) {
      if (!(await cancelStatement(this.#client, this.#context.pool.options.stream))) return;
    }
  }

  /** Released before its queries ended: pg lets them run on, and so does the permit. */
  #giveBackUnderQueries(): void {
    this.#onQueriesDone = () => {
      this.#onQueriesDone = undefined;
      const { options, pool } = this.#context;
      if (this.#timedOut === false || !hasActiveStatement(this.#client)) this.#returnPermit();
      // The pool has the client; only the permit waits.
      else {
        const { abandonedTimeoutMs } = options;
        new AbandonedStatement(this.#client, false, abandonedTimeoutMs, pool.options.stream, () =>
          this.#returnPermit(),
        );
      }
    };
    this.#giveBack();
  }

  #reclaim(afterMs: number): void {
    this.#reclaimed = true;
    this.#finish(abortError(`the client was held for more than maxCheckoutMs (${afterMs} ms)`));
  }

  #note(outcome: Outcome): void {
    this.#outcome = worseOutcome(this.#outcome, outcome);
  }

  #returnPermit(): void {
    this.#settle(this.#outcome ?? 'success');
  }

  #settle(outcome: Outcome): void {
    if (this.#permitBack) return;
    this.#permitBack = true;
    settleCheckout(this.#context.gate, this.operationClass, this.#weight, this.#cohort, outcome);
  }
}
