import type { OperationClass } from '../../core/operation-class.js';
import { isNested, outsideNested } from '../shared/nested.js';
import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import { WaitingAnswers } from '../shared/waiting-answers.js';
import type { Checkout } from './checkout.js';
import { ClusterRequest } from './cluster-request.js';
import type { MysqlContext } from './mysql-context.js';
import {
  type Callback,
  type ConnectionCallback,
  givenCallback,
  type MysqlCluster,
  type MysqlNamespace,
  type MysqlNode,
  type MysqlPool,
} from './mysql-internals.js';
import { outcomeOfMysqlError } from './outcomes.js';
import { leavesWaiting, PoolReturns } from './pool-returns.js';

/**
 * Puts the gate in front of a cluster of pools, between the choice of a node and the node's pool: there the node is known
 * whose share counts, and a rejection does not reach the cluster, which would count it as the node's error and, after
 * five, remove the node. Nodes are met when they are chosen, however they were added.
 */
export function limitCluster(context: MysqlContext, cluster: MysqlCluster): void {
  const { gate, limiter, classes } = context;
  const behindCluster = methodsBehind(cluster, ['of', '_getConnection', 'end']);
  const namespaces = new WeakSet<MysqlNamespace>();
  const nodes = new WeakMap<MysqlPool, PoolReturns>();
  const known = new Set<string>();
  const waiting = new WaitingAnswers<Checkout>();
  /** Whose namespace is choosing a node now: it does so, and asks the cluster, in one synchronous step. */
  let choosing: ClusterRequest | undefined;
  const forgetCluster = gate.onDrainDeadline(() => waiting.refuseAll((checkout) => checkout.refuse()));

  function returnsOf({ id, pool }: MysqlNode): PoolReturns {
    let returns = nodes.get(pool);
    if (returns === undefined) {
      returns = new PoolReturns(context, pool, () => {
        forget(id);
        const ofIt = (checkout: Checkout) => checkout.node === pool;
        if (leavesWaiting(pool)) waiting.refuseAll((checkout) => checkout.abandon(), ofIt);
      });
      nodes.set(pool, returns);
      watchRequeued(pool, returns);
      gate.nodes.setKnown(cluster, known.add(id));
    }
    return returns;
  }

  /** The cluster's own calls hold a permit already; those that the node's pool makes itself are told apart for their times. */
  function watchRequeued(pool: MysqlPool, { requeued }: PoolReturns): void {
    const { getConnection } = pool;
    patchMethods(pool, {
      getConnection(this: MysqlPool, callback: ConnectionCallback) {
        return requeued.has(callback)
          ? requeued.ask(this, getConnection, callback)
          : getConnection.call(this, callback);
      },
    });
  }

  /** A node that has left no longer counts for the fair share of the others. */
  function forget(id: string): void {
    if (known.delete(id)) gate.nodes.setKnown(cluster, known);
  }

  function limitNamespace(namespace: MysqlNamespace): MysqlNamespace {
    if (namespaces.has(namespace)) return namespace;
    namespaces.add(namespace);
    const behindNamespace = methodsBehind(namespace, ['getConnection', 'query', 'execute']);
    // The cluster asks again with our callback when a node has failed.
    const requests = new WeakMap<ConnectionCallback, ClusterRequest>();
    let callingClass: OperationClass | undefined;

    patchMethods(namespace, {
      getConnection(this: MysqlNamespace, callback: ConnectionCallback) {
        const byClass = callingClass ?? classes.transaction;
        const forOneQuery = callingClass !== undefined;
        callingClass = undefined;
        if (typeof callback !== 'function') return behindNamespace.getConnection.call(this, callback);
        let request = requests.get(callback);
        let answer = callback;
        const nested = isNested(limiter);
        if (request === undefined) {
          const operationClass = nested ? classes.nested : byClass;
          request = new ClusterRequest(context, operationClass, nested ? 0 : 1, forOneQuery, callback);
          answer = answerTo(request);
          requests.set(answer, request);
        }
        choosing = request;
        try {
          const ask = () => behindNamespace.getConnection.call(this, answer);
          return nested ? outsideNested(ask) : ask();
        } finally {
          choosing = undefined;
        }
      },

      query(this: MysqlNamespace, sql: unknown, values: unknown, callback: unknown) {
        callingClass = givenCallback(values, callback) ? classes.query : classes.stream;
        try {
          return behindNamespace.query.call(this, sql, values, callback);
        } finally {
          callingClass = undefined;
        }
      },

      execute(this: MysqlNamespace, sql: unknown, values: unknown, callback: unknown) {
        callingClass = classes.query;
        try {
          return behindNamespace.execute.call(this, sql, values, callback);
        } finally {
          callingClass = undefined;
        }
      },
    });
    return namespace;
  }

  /** Without a connection, this is the cluster's last word: it has no node (left) to ask. */
  function answerTo(request: ClusterRequest): ConnectionCallback {
    return (error, connection) => {
      if (error || connection === undefined) {
        request.checkout?.fail(limiter.classify(error, outcomeOfMysqlError));
        return request.callback(error);
      }
      return request.callback(null, connection);
    };
  }

  patchMethods(cluster, {
    of(this: MysqlCluster, pattern: unknown, selector: unknown) {
      return limitNamespace(behindCluster.of.call(this, pattern, selector));
    },

    _getConnection(this: MysqlCluster, node: MysqlNode, callback: ConnectionCallback) {
      const request = choosing;
      choosing = undefined;
      if (request === undefined || node.pool._closed)
        return behindCluster._getConnection.call(this, node, callback);
      if (request.isRefused(node)) return undefined;
      const returns = returnsOf(node);
      const checkout = request.enter(node);
      checkout.node = node.pool;
      waiting.add(checkout);
      return behindCluster._getConnection.call(this, node, (error, connection) => {
        if (!waiting.answer(checkout)) {
          return checkout.refused ? connection?.release?.() : callback(error, connection);
        }
        if (error) checkout.note(limiter.classify(error, outcomeOfMysqlError));
        // In older versions, a word says that another node is to be tried.
        else if (typeof connection !== 'object') checkout.note('overload');
        else returns.lend(connection, checkout);
        return callback(error, connection);
      });
    },

    end(this: MysqlCluster, callback?: Callback) {
      const result = behindCluster.end.call(this, callback);
      waiting.close(forgetCluster);
      return result;
    },
  });
  for (const namespace of Object.values(cluster._namespaces)) limitNamespace(namespace);
}
