import type { Gate } from '../../core/gate.js';
import type { OperationClass } from '../../core/operation-class.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { Permit } from '../../core/permit.js';
import type { PgClient } from './pg-internals.js';

/**
 * The permits of one standalone connection. A query takes one; one that opens a transaction keeps it until the
 * transaction ends, and what is sent in between needs none: a COMMIT or ROLLBACK that is rejected would leave the
 * transaction open.
 */
export class ClientPermits {
  readonly #gate: Gate;
  readonly #client: PgClient;
  /** Of the open transaction. */
  #transaction: Permit | undefined;
  /** Queries that ride on it and have not been answered. */
  #riding = 0;
  /** The worst of those that have been. */
  #outcome: Outcome | undefined;
  #lost = false;
  /** The server's word in its last ReadyForQuery: idle, in a transaction, in a failed one. */
  #status: 'I' | 'T' | 'E' | undefined;

  constructor(gate: Gate, client: PgClient) {
    this.#gate = gate;
    this.#client = client;
    // First in line, so that the callbacks of the query it ends see the new status.
    client.connection?.prependListener('readyForQuery', (message?: { status?: 'I' | 'T' | 'E' }) => {
      this.#status = message?.status;
    });
  }

  /** Whether a query sent now belongs to a transaction that is open, or opening. */
  get inTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  /** Takes what one more query needs; the caller has asked the gate. The result is called when the query is done. */
  take(
    operationClass: OperationClass,
    weight: number,
    opensTransaction: boolean,
  ): (outcome: Outcome) => void {
    if (this.#transaction !== undefined) return this.#ride();
    const permit = this.#gate.permitForCheckout(operationClass, weight);
    if (opensTransaction) {
      this.#keep(permit);
      return this.#ride();
    }
    return (outcome) => {
      // It opened one without saying so at its start ('select 1; begin').
      if (this.#transaction === undefined && this.#serverInTransaction()) {
        this.#keep(permit);
        this.#note(outcome);
      } else permit.release(outcome);
    };
  }

  #ride(): (outcome: Outcome) => void {
    this.#riding++;
    return (outcome) => {
      this.#riding--;
      this.#note(outcome);
      const { connection, readyForQuery, _queryable } = this.#client;
      if (this.#lost || _queryable === false) this.#endIfDone();
      // An error is told before the server's ReadyForQuery, which says whether the transaction is still open.
      else if (readyForQuery === false && connection !== undefined) {
        connection.once('readyForQuery', this.#settle);
      } else this.#settle();
    };
  }

  readonly #settle = () => {
    if (!this.#serverInTransaction()) this.#endIfDone();
  };

  #endIfDone(): void {
    if (this.#riding === 0) this.#end();
  }

  #note(outcome: Outcome): void {
    this.#outcome = this.#outcome === undefined ? outcome : worseOutcome(this.#outcome, outcome);
  }

  #keep(permit: Permit): void {
    this.#transaction = permit;
    this.#client.once('end', this.#onLost);
  }

  readonly #onLost = () => {
    this.#lost = true;
    this.#note(this.#client._ending ? 'ignored' : 'overload');
    // What was sent may still run at the server; whoever waits for that will tell.
    this.#endIfDone();
  };

  #end(): void {
    this.#client.removeListener('end', this.#onLost);
    const permit = this.#transaction;
    const outcome = this.#outcome;
    this.#transaction = undefined;
    this.#outcome = undefined;
    permit?.release(outcome);
  }

  #serverInTransaction(): boolean {
    const { connection, getTransactionStatus, _queryable, _ending } = this.#client;
    // The last word of a connection that is gone: the server has rolled back.
    if (_queryable === false || _ending) return false;
    const status = connection === undefined ? getTransactionStatus?.call(this.#client) : this.#status;
    return status === 'T' || status === 'E';
  }
}

/** Whether a statement opens a transaction block. Comments before it are passed over. */
export function opensTransaction(config: unknown): boolean {
  return OPENING.test(textOf(config));
}

/** Whether a statement does nothing but end a transaction block. */
export function endsTransaction(config: unknown): boolean {
  return ENDING.test(textOf(config));
}

function textOf(config: unknown): string {
  const text = typeof config === 'string' ? config : (config as { text?: unknown } | null)?.text;
  return typeof text === 'string' ? text : '';
}

/** Each way through it is the only one, so that no text makes it slow. */
const OPENING = /^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:begin|start\s+transaction)\b/i;
const ENDING = /^\s*(?:commit|rollback|abort|end)(?:\s+(?:work|transaction))?\s*(?:;\s*)?$/i;
