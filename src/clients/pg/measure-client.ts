import { patchMethods } from '../shared/patch-methods.js';
import { isInvalidCall, observeQuery } from './observe-query.js';
import { isQueryTimeout, outcomeOfPgError } from './outcomes.js';
import { isSubmittable, type PgClient } from './pg-internals.js';
import type { PoolContext } from './pool-context.js';

/**
 * Measures the queries of a pooled client, once per physical client: their latency and outcome go to the checkout that
 * holds it. Nothing is admitted or refused here, so nothing fails in the middle of a transaction.
 */
export function measureClient(context: PoolContext, client: PgClient): void {
  const { query } = client;
  const { gate, holders, classes, limiter } = context;
  patchMethods(client, {
    query(this: PgClient, config: unknown, values: unknown, callback: unknown) {
      const checkout = holders.get(client);
      if (checkout === undefined || isInvalidCall(config, values, callback)) {
        return query.call(this, config, values, callback);
      }
      const operationClass = isSubmittable(config) ? classes.stream : checkout.operationClass;
      const startedAt = gate.clock.now();
      checkout.queryStarted();
      return observeQuery(this, query, config, values, callback, (error) => {
        const outcome = error ? limiter.classify(error, outcomeOfPgError) : 'success';
        gate.recordLatency(operationClass, gate.clock.now() - startedAt, outcome);
        checkout.querySettled(outcome, isQueryTimeout(error));
      });
    },
  });
}
