import type { Gate } from '../../core/gate.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { Outcome } from '../../core/outcome.js';
import { KeptPermit } from '../shared/kept-permit.js';
import type { PgClient } from './pg-internals.js';

/** What one query holds. */
export interface HeldByQuery {
  /** The driver has answered it; the server may still be at it. */
  answered(): void;
  /** The server, too, is done with it. */
  giveBack(outcome: Outcome): void;
}

/** The permits of one standalone connection: one for each query, or a {@link KeptPermit} that several ride on. */
export class ClientPermits {
  readonly #gate: Gate;
  readonly #client: PgClient;
  readonly #kept: KeptPermit;
  /** Queries that the driver has not answered; some it never will, once the connection is gone. */
  readonly #unanswered = new Set<() => void>();
  #lost = false;
  /** The server's word in its last ReadyForQuery: idle, in a transaction, in a failed one. */
  #status: 'I' | 'T' | 'E' | undefined;

  constructor(gate: Gate, client: PgClient) {
    this.#gate = gate;
    this.#client = client;
    this.#kept = new KeptPermit(gate);
    // First in line, so that the callbacks of the query it ends see the new status.
    client.connection?.prependListener('readyForQuery', (message?: { status?: 'I' | 'T' | 'E' }) => {
      this.#status = message?.status;
    });
    // Not on the client, whose listeners libraries count; the native bindings have only that.
    (client.connection ?? client).once('end', () => {
      this.#lost = true;
      if (this.#kept.isHeld) this.#kept.note(client._ending ? 'ignored' : 'overload');
      // What was sent may still run at the server; whoever waits for that will tell.
      this.#kept.endIfIdle();
      this.forgetUnanswered();
    });
  }

  /** Whether a query sent now belongs to a transaction that is open, or opening. */
  get inTransaction(): boolean {
    return this.#kept.inTransaction;
  }

  /** Whether what is sent now rides on a permit that is held already. */
  rides(opensTransaction: boolean): boolean {
    return this.#kept.carries(opensTransaction);
  }

  /** Takes the permit of a connection to be opened. @returns to be called when it is open, or has failed */
  connect(operationClass: OperationClass): (outcome: Outcome) => void {
    // Before the set-up begins, of which it is no part. Ended in the same step, the driver never answers.
    const held = this.#untilLost(this.#ride(false));
    this.#kept.keepForSetUp(this.#gate.permitForCheckout(operationClass, 1));
    return (outcome) => held.giveBack(outcome);
  }

  /** Takes what one more query needs; the caller has asked the gate. */
  take(operationClass: OperationClass, weight: number, opensTransaction: boolean): HeldByQuery {
    if (this.rides(opensTransaction)) return this.#untilLost(this.#ride(opensTransaction));
    const permit = this.#gate.permitForCheckout(operationClass, weight);
    if (opensTransaction) {
      this.#kept.keep(permit);
      return this.#untilLost(this.#ride(true));
    }
    return this.#untilLost((outcome) => {
      // It opened one without saying so at its start ('select 1; begin').
      if (!this.#kept.isHeld && this.#serverInTransaction()) {
        this.#kept.keep(permit);
        this.#kept.note(outcome);
        return;
      }
      permit.release(outcome);
      // One that was sent before it was known of may have ended it.
      if (this.#kept.isHeld) this.#settleSoon();
    });
  }

  /** The connection is gone, or will never be: gives back what the driver leaves without an answer. */
  forgetUnanswered(): void {
    // After the errors that the driver still tells on the next tick.
    setImmediate(() => {
      for (const forget of [...this.#unanswered]) forget();
    });
  }

  /** Counts a query as unanswered until it is answered, and its permit as its own until then. */
  #untilLost(giveBack: (outcome: Outcome) => void): HeldByQuery {
    let forgotten = false;
    const forget = () => {
      this.#unanswered.delete(forget);
      forgotten = true;
      giveBack('ignored');
    };
    this.#unanswered.add(forget);
    if (this.#lost) this.forgetUnanswered();
    return {
      answered: () => this.#unanswered.delete(forget),
      giveBack: (outcome) => {
        this.#unanswered.delete(forget);
        if (!forgotten) giveBack(outcome);
      },
    };
  }

  #ride(opensTransaction: boolean): (outcome: Outcome) => void {
    this.#kept.mount(opensTransaction);
    return (outcome) => {
      this.#kept.dismount(outcome);
      this.#settleSoon();
    };
  }

  /** As soon as the server's word is that of now. */
  #settleSoon(): void {
    const { connection, readyForQuery, _queryable, _ending } = this.#client;
    if (this.#lost || _queryable === false || _ending) this.#kept.endIfIdle();
    // An error is told before the server's ReadyForQuery, which says whether the transaction is still open.
    else if (readyForQuery === false && connection !== undefined) {
      connection.once('readyForQuery', this.#settle);
      // Of a query that failed before it was sent there is none.
      setImmediate(() => this.#client.readyForQuery && this.#settle());
    } else this.#settle();
  }

  readonly #settle = () => this.#kept.settle(this.#serverInTransaction());

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
