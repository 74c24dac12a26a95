import type { OperationClass } from '../../core/operation-class.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { Cohort } from '../../core/permit-ages.js';
import { settleCheckout } from '../../core/settle-checkout.js';
import type { Waiting } from '../shared/waiting-answers.js';
import type { MysqlContext } from './mysql-context.js';
import type { ConnectionCallback, MysqlPool } from './mysql-internals.js';
import { tellRejection } from './promised-rejections.js';

/** What a rejection says was asked for: a connection, or a query for which the pool takes one itself. */
export function operationAsked(forOneQuery: boolean): string {
  return forOneQuery ? 'query' : 'getConnection';
}

/** The permit of one checkout, from the request for a connection on. It comes back once, with the worst outcome noted. */
export class CheckoutPermit implements Waiting {
  readonly operationClass: OperationClass;
  /** Held by the pool itself for one query: nobody can send another after it, and its end is the release. */
  readonly forOneQuery: boolean;
  /** Who waits for the connection. */
  readonly caller: ConnectionCallback;
  readonly askedAt: number;
  waitingAt = -1;
  /** Of a cluster: whose connection it waits for. */
  node: MysqlPool | undefined;
  protected readonly context: MysqlContext;
  readonly #weight: number;
  readonly #cohort: Cohort;
  readonly #onPermitBack: (() => void) | undefined;
  #refused = false;
  #outcome: Outcome | undefined;
  #back = false;

  /** Takes the permit: the caller has asked the gate. */
  constructor(
    context: MysqlContext,
    operationClass: OperationClass,
    weight: number,
    forOneQuery: boolean,
    caller: ConnectionCallback,
    onPermitBack?: () => void,
  ) {
    this.context = context;
    this.operationClass = operationClass;
    this.forOneQuery = forOneQuery;
    this.caller = caller;
    this.#weight = weight;
    this.askedAt = context.gate.clock.sample();
    this.#cohort = context.gate.admit(operationClass, weight, this.askedAt);
    this.#onPermitBack = onPermitBack;
  }

  /** The pool had no connection for it. */
  fail(outcome: Outcome): void {
    this.note(outcome);
    this.returnPermit();
  }

  /** The pool has been ended: older versions of mysql2 never answer what waits in its queue. */
  abandon(): void {
    this.fail('ignored');
  }

  /** It still waited for a connection at a drain's deadline. Its caller hears of it on a later tick. */
  refuse(): void {
    this.#refused = true;
    this.fail('ignored');
    const { gate } = this.context;
    const rejection = gate.rejection(this.operationClass, 'draining', operationAsked(this.forOneQuery));
    process.nextTick(tellRejection, this.caller, rejection);
  }

  /**
   * Whether it was refused before the pool had an answer. If not, the pool answers once more: mysql2 does, when what it
   * has called threw.
   */
  get refused(): boolean {
    return this.#refused;
  }

  note(outcome: Outcome): void {
    this.#outcome = worseOutcome(this.#outcome, outcome);
  }

  protected returnPermit(): void {
    if (this.#back) return;
    this.#back = true;
    const outcome = this.#outcome ?? 'success';
    settleCheckout(this.context.gate, this.operationClass, this.#weight, this.#cohort, outcome);
    this.#onPermitBack?.();
  }
}
