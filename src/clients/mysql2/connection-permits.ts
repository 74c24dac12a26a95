import type { Gate } from '../../core/gate.js';
import type { OperationClass } from '../../core/operation-class.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { Permit } from '../../core/permit.js';
import { SET_UP_COMMANDS } from '../shared/set-up.js';

/** Takes back what one command has taken. */
export type GiveBack = (outcome: Outcome) => void;

/**
 * The permits of one standalone connection. A command takes one. One that opens a transaction keeps it until the
 * transaction ends, and what is sent in between rides on it: a COMMIT or ROLLBACK that is rejected would leave the
 * transaction open. Connecting takes one, too, and keeps it until the connection is set up: libraries do that with queries,
 * and lose the connection if one of them is rejected.
 */
export class ConnectionPermits {
  /** The server's word in its last answer. */
  serverInTransaction = false;
  readonly #gate: Gate;
  /** Of the open transaction, or of the connection that is being set up. */
  #kept: Permit | undefined;
  #settingUp = false;
  #connecting = false;
  /** Commands that the set-up has had. */
  #setUpCommands = 0;
  /** Commands that ride on it and have not ended. */
  #riding = 0;
  /** The worst of those that have. */
  #outcome: Outcome | undefined;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  get keepsOne(): boolean {
    return this.#kept !== undefined;
  }

  /** Whether a command sent now belongs to a transaction that is open, or opening. */
  get inTransaction(): boolean {
    return this.#kept !== undefined && !this.#settingUp;
  }

  /**
   * Whether what is sent now rides on a permit that is held already. A connection is set up by a few commands, one after
   * the other: those that don't wait for each other are ordinary ones. A drain sets nothing up.
   */
  rides(opensTransaction: boolean): boolean {
    if (this.#kept === undefined) return false;
    if (!this.#settingUp) return true;
    if (this.#gate.draining) return false;
    return opensTransaction || (this.#riding === 0 && this.#setUpCommands < SET_UP_COMMANDS);
  }

  /** The connection is being opened, under this permit. */
  connecting(permit: Permit): void {
    this.#kept = permit;
    this.#settingUp = true;
    this.#connecting = true;
  }

  connected(): void {
    this.#connecting = false;
    this.#note('success');
    this.#endIfIdle();
  }

  /** Its user has said the last word: what is under way ends, and no more comes. */
  ending(): void {
    this.#settingUp = false;
    this.#endIfIdle();
  }

  /** Takes what one more command needs; the caller has asked the gate. The result is called when the server is done. */
  take(operationClass: OperationClass, weight: number, opensTransaction: boolean): GiveBack {
    if (this.rides(opensTransaction)) {
      if (opensTransaction) this.#settingUp = false;
      else if (this.#settingUp) this.#setUpCommands++;
      return this.#ride();
    }
    const permit = this.#gate.permitForCheckout(operationClass, weight);
    if (opensTransaction) {
      this.#kept = permit;
      return this.#ride();
    }
    return (outcome) => {
      // It opened one without saying so at its start ('select 1; begin', or autocommit is off). A COMMIT that weighs nothing
      // may, too (completion_type is CHAIN): what comes next takes a permit.
      if (weight > 0 && this.#kept === undefined && this.serverInTransaction) {
        this.#kept = permit;
        this.#note(outcome);
        return;
      }
      permit.release(outcome);
      // One that was sent before it was known of may have ended it.
      if (this.#kept !== undefined) this.#endIfIdle();
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
      this.#endIfIdle();
    };
  }

  #endIfIdle(): void {
    if (this.#riding > 0 || this.#connecting) return;
    // A transaction that was begun in the set-up has the permit from now on.
    if (this.serverInTransaction) this.#settingUp = false;
    else if (!this.#settingUp || !this.rides(false)) this.#end();
    // The next command of the set-up is sent in this turn of the event loop, or never.
    else setImmediate(() => this.#settingUp && this.#riding === 0 && this.#end());
  }

  #note(outcome: Outcome): void {
    this.#outcome = this.#outcome === undefined ? outcome : worseOutcome(this.#outcome, outcome);
  }

  #end(): void {
    const permit = this.#kept;
    const outcome = this.#outcome;
    this.#kept = undefined;
    this.#outcome = undefined;
    this.#settingUp = false;
    permit?.release(outcome);
  }
}
