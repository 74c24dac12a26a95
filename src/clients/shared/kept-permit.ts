import type { Gate } from '../../core/gate.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { Permit } from '../../core/permit.js';

/**
 * The permit that a standalone connection keeps over several operations, which ride on it: that of the open transaction, or
 * the one that the connection was opened under, until it is set up. A COMMIT or ROLLBACK that is rejected would leave the
 * transaction open; libraries set a connection up with queries, and lose it if one of them is rejected.
 */
export class KeptPermit {
  readonly #gate: Gate;
  #permit: Permit | undefined;
  #settingUp = false;
  /** Operations that the set-up has had. */
  #setUpOperations = 0;
  /** Operations that ride on it and have not ended. */
  #riding = 0;
  /** The worst of those that have. */
  #outcome: Outcome | undefined;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  get isHeld(): boolean {
    return this.#permit !== undefined;
  }

  get isRidden(): boolean {
    return this.#riding > 0;
  }

  /** Whether an operation that is sent now belongs to a transaction that is open, or opening. */
  get inTransaction(): boolean {
    return this.#permit !== undefined && !this.#settingUp;
  }

  /**
   * Whether what is sent now rides on it. A connection is set up by a few operations, one after the other: those that don't
   * wait for each other are ordinary ones. A drain sets nothing up.
   */
  carries(opensTransaction: boolean): boolean {
    if (this.#permit === undefined) return false;
    if (!this.#settingUp) return true;
    if (this.#gate.draining) return false;
    return opensTransaction || (this.#riding === 0 && this.#setUpOperations < SET_UP_OPERATIONS);
  }

  keep(permit: Permit): void {
    this.#permit = permit;
  }

  keepForSetUp(permit: Permit): void {
    this.#permit = permit;
    this.#settingUp = true;
  }

  /** What is under way ends, and no more comes. */
  endSetUp(): void {
    this.#settingUp = false;
  }

  /** One more operation. */
  mount(opensTransaction: boolean): void {
    if (opensTransaction) this.#settingUp = false;
    else if (this.#settingUp) this.#setUpOperations++;
    this.#riding++;
  }

  dismount(outcome: Outcome): void {
    this.#riding--;
    this.note(outcome);
  }

  note(outcome: Outcome): void {
    this.#outcome = worseOutcome(this.#outcome, outcome);
  }

  /** An operation has ended: gives the permit back if that was what it was kept for. */
  settle(serverInTransaction: boolean): void {
    // A transaction that was begun in the set-up has the permit from now on.
    if (serverInTransaction) this.#settingUp = false;
    else if (!this.#settingUp || !this.carries(false)) this.endIfIdle();
    // The next operation of the set-up is sent in this turn of the event loop, or never.
    else setImmediate(() => this.#settingUp && this.endIfIdle());
  }

  endIfIdle(): void {
    if (this.#riding === 0) this.end();
  }

  end(): void {
    const permit = this.#permit;
    const outcome = this.#outcome;
    this.#permit = undefined;
    this.#outcome = undefined;
    this.#settingUp = false;
    permit?.release(outcome);
  }
}

/** Libraries send one to three; whoever sends more without a pause is at work, and takes permits like anybody else. */
const SET_UP_OPERATIONS = 8;
