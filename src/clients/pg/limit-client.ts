import type { BackpressureError } from '../../core/backpressure-error.js';
import type { Limiter } from '../../core/limiter.js';
import type { ResolvedAbandonedOptions } from '../shared/abandoned-options.js';
import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import { AbandonedStatement, hasActiveStatement, noteTimeout } from './abandoned-statement.js';
import { cancelStatement } from './cancel-statement.js';
import { ClientPermits, endsTransaction, opensTransaction } from './client-permits.js';
import {
  givenCallback,
  isInvalidCall,
  observeConnect,
  observeQuery,
  promiseClass,
  QueryHook,
} from './observe-query.js';
import { isConnectionEnded, isQueryTimeout, outcomeOfPgError } from './outcomes.js';
import { type Callback, isSubmittable, type PgClient } from './pg-internals.js';

/**
 * Puts the gate in front of one standalone connection: a permit for each query, one for a whole transaction, and one to
 * connect and set the connection up.
 */
export function limitClient(client: PgClient, limiter: Limiter, options: ResolvedAbandonedOptions): void {
  const { gate } = limiter;
  const behind = methodsBehind(client, ['connect', 'query', 'end']);
  const permits = new ClientPermits(gate, client);
  const classes = {
    query: gate.classes.get('query'),
    transaction: gate.classes.get('transaction'),
    stream: gate.classes.get('stream'),
    connection: gate.classes.get('connection'),
  };

  /** A cancel request under way, which hits whatever runs on the connection when it arrives. */
  let cancelling: Promise<void> | undefined;

  /** Calls back when the server, too, is done with what the driver has settled. */
  function whenServerIsDone(error: unknown, done: () => void): void {
    if (isConnectionEnded(error)) {
      // By its owner, with the statement on the wire: the server would run it to its end.
      void cancelStatement(client).then(done);
      return;
    }
    if (isQueryTimeout(error)) noteTimeout(client);
    if (!isQueryTimeout(error) || !hasActiveStatement(client)) {
      done();
      return;
    }
    const statement = new AbandonedStatement(client, false, options.abandonedTimeoutMs, undefined, done);
    statement.onCancel = (request) => {
      cancelling = request;
      void request.then(() => {
        cancelling = undefined;
      });
    };
    // What is queued behind it may be on the wire before the request has arrived.
    if (options.abandonedStatements === 'cancel' && !client._queryQueue?.length) void statement.cancel();
  }

  patchMethods(client, {
    connect(this: PgClient, callback?: Callback) {
      // A second call: pg's own error, and no permit.
      if (this._connecting || this._connected) {
        return callback === undefined ? behind.connect.call(this) : behind.connect.call(this, callback);
      }
      const refusal = gate.refusal(classes.connection, 1);
      if (refusal !== undefined) {
        const rejection = gate.reject(classes.connection, refusal, 'connect');
        if (!callback) return promiseClass(this).reject(rejection);
        process.nextTick(callback, rejection);
        return undefined;
      }
      const startedAt = gate.clock.now();
      const opened = permits.connect(classes.connection);
      const settled = (error: unknown) => {
        if (!error) gate.recordConnectTime(gate.clock.now() - startedAt);
        opened(error ? limiter.classify(error, outcomeOfPgError) : 'success');
      };
      return observeConnect(this, behind, callback, settled);
    },

    end(this: PgClient, callback?: Callback) {
      const result = callback === undefined ? behind.end.call(this) : behind.end.call(this, callback);
      // Never connected: no 'end' will be told.
      if (!this._connecting && !this._connected) permits.forgetUnanswered();
      return result;
    },

    query(this: PgClient, config: unknown, values: unknown, callback: unknown) {
      if (isInvalidCall(config, values, callback)) return behind.query.call(this, config, values, callback);
      if (cancelling !== undefined) return queryAfter(cancelling, this, config, values, callback);
      const opening = opensTransaction(config);
      // Of a transaction whose BEGIN was rejected: it costs the server nothing, and libraries give up a connection on
      // which it fails.
      const riding = permits.rides(opening);
      const idleEnding = !riding && endsTransaction(config);
      const operationClass = isSubmittable(config)
        ? classes.stream
        : opening || idleEnding || permits.inTransaction
          ? classes.transaction
          : classes.query;
      const weight = idleEnding ? 0 : 1;
      if (!riding) {
        const refusal = gate.refusal(operationClass, weight);
        if (refusal !== undefined) {
          return refuse(this, gate.reject(operationClass, refusal, 'query'), config, values, callback);
        }
      }
      const held = permits.take(operationClass, weight, opening);
      const startedAt = gate.clock.sample();
      const observer = new QueryHook((error) => {
        const outcome = error ? limiter.classify(error, outcomeOfPgError) : 'success';
        if (!Number.isNaN(startedAt)) {
          const now = gate.clock.now();
          gate.recordLatency(operationClass, now - startedAt, outcome, now);
        }
        held.answered();
        whenServerIsDone(error, () => held.giveBack(outcome));
      });
      return observeQuery(this, behind, config, values, callback, observer);
    },
  });
}

/** The same call, a little later, in the form it was made. */
function queryAfter(
  request: Promise<void>,
  client: PgClient,
  config: unknown,
  values: unknown,
  callback: unknown,
): unknown {
  const later = () => client.query(config, values, callback);
  if (!isSubmittable(config) && givenCallback(config, values, callback) === undefined) {
    return new (promiseClass(client))((resolve, reject) => request.then(later).then(resolve, reject));
  }
  void request.then(later);
  return isSubmittable(config) ? config : undefined;
}

/** Each call form learns of a rejection as it learns of any error: later, and never by a throw. */
function refuse(
  client: PgClient,
  rejection: BackpressureError,
  config: unknown,
  values: unknown,
  callback: unknown,
): unknown {
  const given = givenCallback(undefined, values, callback);
  if (isSubmittable(config)) {
    if (!config.callback && typeof given === 'function') config.callback = given as Callback;
    process.nextTick(() => config.handleError(rejection, client.connection));
    return config;
  }
  const receiver = given ?? givenCallback(config, undefined, undefined);
  if (typeof receiver === 'function') {
    process.nextTick(receiver as Callback, rejection);
    return undefined;
  }
  return promiseClass(client).reject(rejection);
}
