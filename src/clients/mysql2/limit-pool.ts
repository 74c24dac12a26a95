import type { OperationClass } from '../../core/operation-class.js';
import { isNested, outsideNested } from '../shared/nested.js';
import { patchMethods } from '../shared/patch-methods.js';
import { WaitingAnswers } from '../shared/waiting-answers.js';
import { Checkout } from './checkout.js';
import { operationAsked } from './checkout-permit.js';
import type { MysqlContext } from './mysql-context.js';
import { type ConnectionCallback, givenCallback, type MysqlPool } from './mysql-internals.js';
import { outcomeOfMysqlError } from './outcomes.js';
import { leavesWaiting, PoolReturns } from './pool-returns.js';
import { tellRejection } from './promised-rejections.js';

/**
 * Puts the gate in front of one core pool: `getConnection` is the one place where permits are taken, since everything
 * passes it (`query` and `execute` call it, and so do the promise API and libraries that wrap them). A rejection is
 * delivered as the driver delivers its errors, on a later tick: a `Query` must be in its user's hands by then.
 */
export function limitPool(context: MysqlContext, pool: MysqlPool): void {
  const { gate, limiter, classes } = context;
  const { getConnection, query, execute } = pool;
  const waiting = new WaitingAnswers<Checkout>();
  // Taken over the pool's own call of getConnection, which is synchronous; a query that is asynchronous (an override) is
  // admitted as a transaction.
  let callingClass: OperationClass | undefined;
  const forgetPool = gate.onDrainDeadline(() => waiting.refuseAll((checkout) => checkout.refuse()));
  const returns = new PoolReturns(context, pool, () => {
    if (leavesWaiting(pool)) waiting.refuseAll((checkout) => checkout.abandon());
    waiting.close(forgetPool);
  });
  const { requeued } = returns;

  function checkOut(self: MysqlPool, checkout: Checkout): unknown {
    waiting.add(checkout);
    try {
      return getConnection.call(self, (error, connection) => {
        if (!waiting.answer(checkout)) {
          // The connection that comes late goes straight back.
          return checkout.refused ? connection?.release?.() : checkout.caller(error, connection);
        }
        if (error || connection === undefined) {
          returns.lendNothing(checkout);
          checkout.fail(limiter.classify(error, outcomeOfMysqlError));
          return checkout.caller(error);
        }
        returns.lend(connection, checkout);
        return checkout.caller(null, connection);
      });
    } catch (thrown) {
      if (waiting.answer(checkout)) checkout.fail(limiter.classify(thrown, outcomeOfMysqlError));
      throw thrown;
    }
  }

  patchMethods(pool, {
    getConnection(this: MysqlPool, callback: ConnectionCallback) {
      const forOneQuery = callingClass !== undefined;
      const byClass = callingClass ?? classes.transaction;
      callingClass = undefined;
      if (typeof callback !== 'function' || pool._closed) return getConnection.call(this, callback);
      if (requeued.has(callback)) return requeued.ask(this, getConnection, callback);
      const nested = isNested(limiter);
      const operationClass = nested ? classes.nested : byClass;
      const weight = nested ? 0 : 1;
      const refusal = gate.refusal(operationClass, weight);
      if (refusal !== undefined) {
        const rejection = gate.reject(operationClass, refusal, operationAsked(forOneQuery));
        process.nextTick(tellRejection, callback, rejection);
        return undefined;
      }
      const checkout = new Checkout(context, operationClass, weight, forOneQuery, callback);
      return nested ? outsideNested(() => checkOut(this, checkout)) : checkOut(this, checkout);
    },

    query(this: MysqlPool, sql: unknown, values: unknown, callback: unknown) {
      callingClass = givenCallback(values, callback) ? classes.query : classes.stream;
      try {
        return query.call(this, sql, lettingGo(values), lettingGo(callback));
      } finally {
        callingClass = undefined;
      }
    },

    execute(this: MysqlPool, sql: unknown, values: unknown, callback: unknown) {
      callingClass = classes.query;
      try {
        return execute.call(this, sql, values, callback);
      } finally {
        callingClass = undefined;
      }
    },
  });
}

/**
 * Calls back once, and lets go of the callback, if it is one. The function that mysql2's pool gives a command stays reachable
 * until the next full garbage collection, and its caller's promise and rows would with it.
 */
function lettingGo(value: unknown): unknown {
  if (typeof value !== 'function') return value;
  let callback: unknown = value;
  return function (this: unknown, ...answer: unknown[]): unknown {
    const waiting = callback;
    callback = undefined;
    return typeof waiting === 'function' ? waiting.apply(this, answer) : undefined;
  };
}
