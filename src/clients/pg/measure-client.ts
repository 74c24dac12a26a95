import type { OperationClass } from '../../core/operation-class.js';
import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import { noteTimeout } from './abandoned-statement.js';
import type { Checkout } from './checkout.js';
import { isInvalidCall, observeQuery, QueryObserver } from './observe-query.js';
import { isQueryTimeout, outcomeOfPgError } from './outcomes.js';
import { isCopy, isSubmittable, type PgClient } from './pg-internals.js';
import type { PoolContext } from './pool-context.js';

/** Where the queries of one physical client are told. */
export interface ClientTap {
  /** Who has the client checked out, or had it last. */
  holder: Checkout | undefined;
}

/**
 * Measures the queries of a pooled client, once per physical client: their latency and outcome go to the checkout that
 * holds it. Nothing is admitted or refused here, so nothing fails in the middle of a transaction.
 */
export function measureClient(context: PoolContext, client: PgClient): ClientTap {
  const behind = methodsBehind(client, ['query']);
  const { gate, classes } = context;
  const tap: ClientTap = { holder: undefined };
  patchMethods(client, {
    query(this: PgClient, config: unknown, values: unknown, callback: unknown) {
      const checkout = tap.holder;
      if (checkout === undefined || isInvalidCall(config, values, callback)) {
        return behind.query.call(this, config, values, callback);
      }
      const operationClass = isSubmittable(config) ? classes.stream : checkout.operationClass;
      const startedAt = gate.clock.sample();
      checkout.queryStarted();
      const measured = new MeasuredQuery(context, client, checkout, operationClass, startedAt, config);
      return observeQuery(this, behind, config, values, callback, measured);
    },
  });
  return tap;
}

class MeasuredQuery extends QueryObserver {
  readonly #context: PoolContext;
  readonly #client: PgClient;
  readonly #checkout: Checkout;
  readonly #operationClass: OperationClass;
  readonly #startedAt: number;
  readonly #config: unknown;

  constructor(
    context: PoolContext,
    client: PgClient,
    checkout: Checkout,
    operationClass: OperationClass,
    startedAt: number,
    config: unknown,
  ) {
    super();
    this.#context = context;
    this.#client = client;
    this.#checkout = checkout;
    this.#operationClass = operationClass;
    this.#startedAt = startedAt;
    this.#config = config;
  }

  protected override onSettled(error: unknown): void {
    const { gate, limiter } = this.#context;
    const outcome = error ? limiter.classify(error, outcomeOfPgError) : 'success';
    if (!Number.isNaN(this.#startedAt)) {
      const now = gate.clock.now();
      gate.recordLatency(this.#operationClass, now - this.#startedAt, outcome, now);
    }
    const timedOut = error ? isQueryTimeout(error) : false;
    if (timedOut) noteTimeout(this.#client);
    this.#checkout.querySettled(outcome, timedOut && (isCopy(this.#config) ? 'copy' : 'statement'));
  }
}
