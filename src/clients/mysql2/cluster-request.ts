import type { RejectReason } from '../../core/backpressure-error.js';
import type { NodeShare } from '../../core/node-shares.js';
import type { OperationClass } from '../../core/operation-class.js';
import { Checkout } from './checkout.js';
import { operationAsked } from './checkout-permit.js';
import type { MysqlContext } from './mysql-context.js';
import type { ConnectionCallback, MysqlNode } from './mysql-internals.js';
import { tellRejection } from './promised-rejections.js';

/**
 * One request for a connection of a cluster, from its namespace until it is answered. It takes its permit when a node has
 * been chosen for it, and keeps it when mysql2 tries another node after one that failed.
 */
export class ClusterRequest {
  readonly callback: ConnectionCallback;
  readonly #context: MysqlContext;
  readonly #operationClass: OperationClass;
  readonly #weight: number;
  readonly #forOneQuery: boolean;
  #checkout: Checkout | undefined;
  /** The node that its permit is held for. */
  #share: NodeShare | undefined;

  constructor(
    context: MysqlContext,
    operationClass: OperationClass,
    weight: number,
    forOneQuery: boolean,
    callback: ConnectionCallback,
  ) {
    this.#context = context;
    this.#operationClass = operationClass;
    this.#weight = weight;
    this.#forOneQuery = forOneQuery;
    this.callback = callback;
  }

  /** Absent before a node was chosen, or if none could be. */
  get checkout(): Checkout | undefined {
    return this.#checkout;
  }

  /** A node has been chosen. @returns whether the request is refused, and its callback will be told so */
  isRefused(node: MysqlNode): boolean {
    const { gate } = this.#context;
    // It has its permit since the node before.
    const refusal =
      this.#checkout === undefined ? gate.refusal(this.#operationClass, this.#weight) : undefined;
    if (refusal !== undefined) return this.#refuse(refusal);
    if (this.#weight === 0) return false;
    this.#leaveNode();
    const share = gate.nodes.share(node.id);
    if (!gate.nodes.refuses(share, this.#weight, gate.limit, gate.inFlight)) return false;
    share.rejected++;
    return this.#refuse('bulkhead', gate.nodes.shareTaken(share, gate.limit, gate.inFlight));
  }

  /** Takes what {@link isRefused} has granted. */
  enter(node: MysqlNode): Checkout {
    const { gate } = this.#context;
    const share = gate.nodes.share(node.id);
    gate.nodes.enter(share, this.#weight);
    this.#share = share;
    this.#checkout ??= new Checkout(
      this.#context,
      this.#operationClass,
      this.#weight,
      this.#forOneQuery,
      this.callback,
      () => this.#leaveNode(),
    );
    return this.#checkout;
  }

  #refuse(reason: RejectReason, shareTaken?: string): true {
    this.#checkout?.fail('ignored');
    const { gate } = this.#context;
    const operation = operationAsked(this.#forOneQuery);
    const rejection = gate.reject(this.#operationClass, reason, operation, undefined, shareTaken);
    process.nextTick(tellRejection, this.callback, rejection);
    return true;
  }

  #leaveNode(): void {
    if (this.#share === undefined) return;
    this.#context.gate.nodes.leave(this.#share, this.#weight);
    this.#share = undefined;
  }
}
