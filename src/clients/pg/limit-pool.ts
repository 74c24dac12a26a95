import type { OperationClass } from '../../core/operation-class.js';
import { isNested, outsideNested } from '../shared/nested.js';
import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import { Checkout } from './checkout.js';
import { type ClientTap, measureClient } from './measure-client.js';
import { givenCallback, withCallersStack } from './observe-query.js';
import { outcomeOfPgError } from './outcomes.js';
import {
  type Callback,
  type ConnectCallback,
  isSubmittable,
  type PgClient,
  type PgPool,
  type Release,
} from './pg-internals.js';
import type { PoolContext } from './pool-context.js';
import { PoolTimes } from './pool-times.js';
import { holdsConnection, runStream } from './run-stream.js';
import { WaitingCheckouts } from './waiting-checkouts.js';

/**
 * Puts the gate in front of one pool: `connect` is the one place where permits are taken, since everything passes it
 * (`query` calls it, and so do libraries that wrap `query`); `query` only looks whether it would be refused, to save the
 * work. Each call returns what the pool's own would: the same kind of promise, `undefined` with a callback.
 */
export function limitPool(context: PoolContext): void {
  const { pool, gate, limiter, classes } = context;
  const behind = methodsBehind(pool, ['connect', 'query', 'end']);
  const taps = new WeakMap<PgClient, ClientTap>();
  const waiting = new WaitingCheckouts();
  const times = new PoolTimes(gate, pool, waiting);
  // Taken over pool.query's call to this.connect, which is synchronous; a query that is asynchronous (an override) is
  // admitted as a transaction.
  let connectingClass: OperationClass | undefined;
  context.isEnding = () => pool.ending || waiting.ending;
  const forgetPool = gate.onDrainDeadline(() =>
    waiting.refuseWaiting(({ operationClass, operation }) =>
      gate.rejection(operationClass, 'draining', operation),
    ),
  );

  /**
   * Takes the permit and asks the pool for a client, in the form that the caller used: a `connect` that somebody has
   * overridden, or a tracer in front of it, must see the call as it was made.
   */
  function checkOut(
    self: PgPool,
    operationClass: OperationClass,
    weight: number,
    operation: string,
    callback: ConnectCallback,
    form: 'callback' | 'promise',
  ): void {
    const checkout = new Checkout(context, operationClass, weight, callback, operation);
    waiting.add(checkout);

    function answer(error: unknown, client: PgClient | undefined, done: Release): void {
      if (!waiting.answer(checkout)) {
        // It was refused while it waited; the client that comes late goes straight back.
        if (checkout.refused && client !== undefined) done();
        return;
      }
      try {
        if (error || client === undefined) {
          times.failed(checkout);
          checkout.fail(limiter.classify(error, outcomeOfPgError));
          callback(error, client, done);
        } else {
          handOver(client, checkout);
          callback(undefined, client, checkout.begin(client));
        }
      } finally {
        waiting.answered();
      }
    }

    const outer = times.ask(checkout);
    try {
      const asked = weight === 0 ? outsideNested(() => ask(self, form, answer)) : ask(self, form, answer);
      if (form === 'promise') {
        (asked as Promise<PgClient>).then(
          (client) => answer(undefined, client, client.release),
          (error) => answer(error, undefined, () => {}),
        );
      }
    } catch (thrown) {
      // The Client's constructor threw: nothing will ever call back.
      if (waiting.answer(checkout)) {
        checkout.fail(limiter.classify(thrown, outcomeOfPgError));
        waiting.answered();
      }
      throw thrown;
    } finally {
      times.asked(outer);
    }
  }

  function ask(self: PgPool, form: 'callback' | 'promise', answer: ConnectCallback): unknown {
    return form === 'callback' ? behind.connect.call(self, answer) : behind.connect.call(self);
  }

  /** From now on the client's queries count for this checkout. */
  function handOver(client: PgClient, checkout: Checkout): void {
    let tap = taps.get(client);
    const isFirst = tap === undefined;
    if (tap === undefined) {
      tap = measureClient(context, client);
      taps.set(client, tap);
    }
    tap.holder = checkout;
    times.handedOver(checkout, client, isFirst);
  }

  patchMethods(pool, {
    connect(this: PgPool, callback?: ConnectCallback) {
      if (this.ending) return behind.connect.call(this, callback);
      if (waiting.ending)
        return answer(this, new Error('Cannot use a pool after calling end on the pool'), callback);
      const nested = isNested(limiter);
      const operation = connectingClass?.name ?? 'connect';
      const operationClass = nested ? classes.nested : (connectingClass ?? classes.transaction);
      connectingClass = undefined;
      const weight = nested ? 0 : 1;
      const refusal = gate.refusal(operationClass, weight);
      if (refusal !== undefined) {
        const rejection = gate.reject(operationClass, refusal, operation);
        if (!callback) return this.Promise.reject(rejection);
        process.nextTick(callback, rejection, undefined, () => {});
        return undefined;
      }
      if (callback) return checkOut(this, operationClass, weight, operation, callback, 'callback');
      let resolve!: (client: PgClient) => void;
      let reject!: (error: unknown) => void;
      const promise = new this.Promise<PgClient>((resolvePromise, rejectPromise) => {
        resolve = resolvePromise;
        reject = rejectPromise;
      });
      // Outside the promise's executor: a synchronous throw stays one.
      const result = withCallersStack(promise);
      checkOut(
        this,
        operationClass,
        weight,
        operation,
        (error, client) => (error ? reject(error) : resolve(client!)),
        'promise',
      );
      return result;
    },

    query(this: PgPool, text: unknown, values: unknown, callback: unknown) {
      if (isSubmittable(text) && holdsConnection(text)) {
        connectingClass = classes.stream;
        try {
          return runStream(this, text, values, givenCallback(undefined, values, callback));
        } finally {
          connectingClass = undefined;
        }
      }
      if (this.ending || waiting.ending || typeof text === 'function') {
        return behind.query.call(this, text, values, callback);
      }
      const operationClass = classes.query;
      const refusal = isNested(limiter) ? undefined : gate.refusal(operationClass, 1);
      if (refusal !== undefined) {
        const rejection = gate.reject(operationClass, refusal, 'query');
        const given = givenCallback(undefined, values, callback);
        if (typeof given !== 'function') return this.Promise.reject(rejection);
        process.nextTick(given as Callback, rejection);
        return undefined;
      }
      connectingClass = operationClass;
      try {
        return behind.query.call(this, text, values, callback);
      } finally {
        connectingClass = undefined;
      }
    },

    /** pg-pool forgets what waits for a connection; here it is served first, and then the pool ends as it always does. */
    end(this: PgPool, callback?: Callback) {
      if (waiting.ending) return answer(this, new Error('Called end on pool more than once'), callback);
      for (const statement of context.abandoned) void statement.cancel();
      if (this.ending || this.waitingCount === 0) {
        forgetPool();
        return behind.end.call(this, callback);
      }
      const endNow = (answered: Callback) => {
        forgetPool();
        behind.end.call(this, answered);
      };
      if (callback) {
        waiting.endWhenServed(() => endNow(callback));
        return undefined;
      }
      return new this.Promise((resolve, reject) => {
        waiting.endWhenServed(() => endNow((error) => (error ? reject(error) : resolve(undefined))));
      });
    },
  });
}

/** As pg-pool answers calls that come too late: synchronously to a callback. */
function answer(
  pool: PgPool,
  error: Error,
  callback: ((error: Error, ...rest: never[]) => void) | undefined,
): unknown {
  return callback ? callback(error) : pool.Promise.reject(error);
}
