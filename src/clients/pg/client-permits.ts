import type { Gate } from '../../core/gate.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { Outcome } from '../../core/outcome.js';
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
  take(operationClass: OperationClass, opensTransaction: boolean): (outcome: Outcome) => void {
    if (this.#transaction !== undefined) return this.#ride();
    const permit = this.#gate.permitForCheckout(operationClass, 1);
    if (opensTransaction) {
      this.#keep(permit);
      return this.#ride();
    }
    return (outcome) => {
      // It opened one without saying so at its start ('select 1; begin').
      if (this.#transaction === undefined && this.#serverInTransaction()) this.#keep(permit);
      else permit.release(outcome);
    };
  }

  #ride(): (outcome: Outcome) => void {
    this.#riding++;
    return (outcome) => {
      this.#riding--;
      const { connection, readyForQuery, _queryable } = this.#client;
      if (_queryable === false) this.#end(outcome);
      // An error is told before the server's ReadyForQuery, which says whether the transaction is still open.
      else if (readyForQuery === false && connection !== undefined) {
        connection.once('readyForQuery', () => this.#settle(outcome));
      } else this.#settle(outcome);
    };
  }

  #settle(outcome: Outcome): void {
    if (this.#riding === 0 && !this.#serverInTransaction()) this.#end(outcome);
  }

  #keep(permit: Permit): void {
    this.#transaction = permit;
    this.#client.once('end', this.#onLost);
  }

  readonly #onLost = () => this.#end('overload');

  #end(outcome: Outcome): void {
    this.#client.removeListener('end', this.#onLost);
    const permit = this.#transaction;
    this.#transaction = undefined;
    permit?.release(outcome);
  }

  #serverInTransaction(): boolean {
    const { connection, getTransactionStatus } = this.#client;
    const status = connection === undefined ? getTransactionStatus?.call(this.#client) : this.#status;
    return status === 'T' || status === 'E';
  }
}

/** Whether a statement opens a transaction block. Comments before it are passed over. */
export function opensTransaction(config: unknown): boolean {
  const text = typeof config === 'string' ? config : (config as { text?: unknown } | null)?.text;
  return typeof text === 'string' && OPENING.test(text);
}

/** Each way through it is the only one, so that no text makes it slow. */
const OPENING = /^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:begin|start\s+transaction)\b/i;
