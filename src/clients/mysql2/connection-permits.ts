import type { Gate } from '../../core/gate.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { Outcome } from '../../core/outcome.js';
import type { Permit } from '../../core/permit.js';
import { KeptPermit } from '../shared/kept-permit.js';

/** Takes back what one command has taken. */
export type GiveBack = (outcome: Outcome) => void;

/** The permits of one standalone connection: one for each command, or a {@link KeptPermit} that several ride on. */
export class ConnectionPermits {
  /** The server's word in its last answer. */
  serverInTransaction = false;
  readonly #gate: Gate;
  readonly #kept: KeptPermit;
  #connecting = false;

  constructor(gate: Gate) {
    this.#gate = gate;
    this.#kept = new KeptPermit(gate);
  }

  get keepsOne(): boolean {
    return this.#kept.isHeld;
  }

  /** Whether a command sent now belongs to a transaction that is open, or opening. */
  get inTransaction(): boolean {
    return this.#kept.inTransaction;
  }

  /** Whether what is sent now rides on a permit that is held already. */
  rides(opensTransaction: boolean): boolean {
    return this.#kept.carries(opensTransaction);
  }

  /** The connection is being opened, under this permit. */
  connecting(permit: Permit): void {
    this.#kept.keepForSetUp(permit);
    this.#connecting = true;
  }

  connected(): void {
    this.#connecting = false;
    this.#kept.note('success');
    this.#endIfIdle();
  }

  /** Its user has said the last word: what is under way ends, and no more comes. */
  ending(): void {
    this.#kept.endSetUp();
    this.#endIfIdle();
  }

  /** Takes what one more command needs; the caller has asked the gate. The result is called when the server is done. */
  take(operationClass: OperationClass, weight: number, opensTransaction: boolean): GiveBack {
    if (this.rides(opensTransaction)) return this.#ride(opensTransaction);
    const permit = this.#gate.permitForCheckout(operationClass, weight);
    if (opensTransaction) {
      this.#kept.keep(permit);
      return this.#ride(true);
    }
    return (outcome) => {
      // It opened one without saying so at its start ('select 1; begin', or autocommit is off). A COMMIT that weighs nothing
      // may, too (completion_type is CHAIN): what comes next takes a permit.
      if (weight > 0 && !this.#kept.isHeld && this.serverInTransaction) {
        this.#kept.keep(permit);
        this.#kept.note(outcome);
        return;
      }
      permit.release(outcome);
      // One that was sent before it was known of may have ended it.
      if (this.#kept.isHeld) this.#endIfIdle();
    };
  }

  /** The connection is gone, and the transaction with it. */
  lost(outcome: Outcome): void {
    this.serverInTransaction = false;
    this.#kept.note(outcome);
    this.#kept.end();
  }

  #ride(opensTransaction: boolean): GiveBack {
    this.#kept.mount(opensTransaction);
    return (outcome) => {
      this.#kept.dismount(outcome);
      this.#endIfIdle();
    };
  }

  #endIfIdle(): void {
    if (!this.#kept.isRidden && !this.#connecting) this.#kept.settle(this.serverInTransaction);
  }
}
