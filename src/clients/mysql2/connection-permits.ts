import type { Gate } from '../../core/gate.js';
import type { OperationClass } from '../../core/operation-class.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { Permit } from '../../core/permit.js';

/** Takes back what one command has taken. */
export type GiveBack = (outcome: Outcome) => void;

/**
 * The permits of one standalone connection. A command takes one; one that opens a transaction keeps it until the
 * transaction ends, and what is sent in between needs none: a COMMIT or ROLLBACK that is rejected would leave the
 * transaction open.
 */
export class ConnectionPermits {
  /** The server's word in its last answer. */
  serverInTransaction = false;
  readonly #gate: Gate;
  /** Of the open transaction. */
  #transaction: Permit | undefined;
  /** The worst of the open transaction's commands so far. */
  #outcome: Outcome | undefined;
  /** Commands that ride on it and have not ended. */
  #riding = 0;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Whether a command sent now belongs to a transaction that is open, or opening. */
  get inTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  /** Takes what one more command needs; the caller has asked the gate. The result is called when the server is done. */
  take(operationClass: OperationClass, opensTransaction: boolean): GiveBack {
    if (this.#transaction !== undefined) return this.#ride();
    const permit = this.#gate.permitForCheckout(operationClass, 1);
    if (opensTransaction) {
      this.#transaction = permit;
      return this.#ride();
    }
    return (outcome) => {
      // It opened one without saying so at its start ('select 1; begin', or autocommit is off).
      if (this.#transaction === undefined && this.serverInTransaction) {
        this.#transaction = permit;
        this.#note(outcome);
      } else permit.release(outcome);
    };
  }

  /** The connection is gone, and the transaction with it. */
  lost(outcome: Outcome): void {
    this.serverInTransaction = false;
    this.#note(outcome);
    this.#end();
  }

  #ride(): GiveBack {
    this.#riding++;
    return (outcome) => {
      this.#riding--;
      this.#note(outcome);
      if (this.#riding === 0 && !this.serverInTransaction) this.#end();
    };
  }

  #note(outcome: Outcome): void {
    this.#outcome = this.#outcome === undefined ? outcome : worseOutcome(this.#outcome, outcome);
  }

  #end(): void {
    const permit = this.#transaction;
    const outcome = this.#outcome;
    this.#transaction = undefined;
    this.#outcome = undefined;
    permit?.release(outcome);
  }
}
