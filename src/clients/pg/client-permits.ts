import type { Gate } from '../../core/gate.js';
import type { OperationClass } from '../../core/operation-class.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { Permit } from '../../core/permit.js';
import { SET_UP_COMMANDS } from '../shared/set-up.js';
import type { PgClient } from './pg-internals.js';

/** What one query holds. */
export interface HeldByQuery {
  /** The driver has answered it; the server may still be at it. */
  answered(): void;
  /** The server, too, is done with it. */
  giveBack(outcome: Outcome): void;
}

/**
 * The permits of one standalone connection. A query takes one. One that opens a transaction keeps it until the transaction
 * ends, and what is sent in between rides on it: a COMMIT or ROLLBACK that is rejected would leave the transaction open.
 * Connecting takes one too, and keeps it until the connection is set up: libraries do that with queries, and lose the
 * connection if one of them is rejected.
 */
export class ClientPermits {
  readonly #gate: Gate;
  readonly #client: PgClient;
  /** Of the open transaction, or of the connection that is being set up. */
  #kept: Permit | undefined;
  #settingUp = false;
  /** Queries that the set-up has had. */
  #setUpQueries = 0;
  /** Queries that ride on it and have not ended. */
  #riding = 0;
  /** The worst of those that have. */
  #outcome: Outcome | undefined;
  /** Queries that the driver has not answered; some it never will, once the connection is gone. */
  readonly #unanswered = new Set<() => void>();
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
    // Not on the client, whose listeners libraries count; the native bindings have only that.
    (client.connection ?? client).once('end', () => {
      this.#lost = true;
      if (this.#kept !== undefined) this.#note(client._ending ? 'ignored' : 'overload');
      // What was sent may still run at the server; whoever waits for that will tell.
      this.#endIfDone();
      this.forgetUnanswered();
    });
  }

  /** Whether a query sent now belongs to a transaction that is open, or opening. */
  get inTransaction(): boolean {
    return this.#kept !== undefined && !this.#settingUp;
  }

  /**
   * Whether what is sent now rides on a permit that is held already. A connection is set up by a few queries, one after the
   * other: those that don't wait for each other are ordinary ones. A drain sets nothing up.
   */
  rides(opensTransaction: boolean): boolean {
    if (this.#kept === undefined) return false;
    if (!this.#settingUp) return true;
    if (this.#gate.draining) return false;
    return opensTransaction || (this.#riding === 0 && this.#setUpQueries < SET_UP_COMMANDS);
  }

  /** Takes the permit of a connection to be opened. @returns to be called when it is open, or has failed */
  connect(operationClass: OperationClass): (outcome: Outcome) => void {
    this.#keep(this.#gate.permitForCheckout(operationClass, 1));
    this.#settingUp = true;
    return this.#ride();
  }

  /** Takes what one more query needs; the caller has asked the gate. */
  take(operationClass: OperationClass, weight: number, opensTransaction: boolean): HeldByQuery {
    if (this.rides(opensTransaction)) {
      if (opensTransaction) this.#settingUp = false;
      else if (this.#settingUp) this.#setUpQueries++;
      return this.#untilLost(this.#ride());
    }
    const permit = this.#gate.permitForCheckout(operationClass, weight);
    if (opensTransaction) {
      this.#keep(permit);
      return this.#untilLost(this.#ride());
    }
    return this.#untilLost((outcome) => {
      // It opened one without saying so at its start ('select 1; begin').
      if (this.#kept === undefined && this.#serverInTransaction()) {
        this.#keep(permit);
        this.#note(outcome);
        return;
      }
      permit.release(outcome);
      // One that was sent before it was known of may have ended it.
      if (this.#kept !== undefined) this.#settleSoon();
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

  #ride(): (outcome: Outcome) => void {
    this.#riding++;
    return (outcome) => {
      this.#riding--;
      this.#note(outcome);
      this.#settleSoon();
    };
  }

  /** As soon as the server's word is that of now. */
  #settleSoon(): void {
    const { connection, readyForQuery, _queryable, _ending } = this.#client;
    if (this.#lost || _queryable === false || _ending) this.#endIfDone();
    // An error is told before the server's ReadyForQuery, which says whether the transaction is still open.
    else if (readyForQuery === false && connection !== undefined) {
      connection.once('readyForQuery', this.#settle);
      // Of a query that failed before it was sent there is none.
      setImmediate(() => this.#client.readyForQuery && this.#settle());
    } else this.#settle();
  }

  readonly #settle = () => {
    if (this.#serverInTransaction()) this.#settingUp = false;
    else if (!this.#settingUp || !this.rides(false)) this.#endIfDone();
    // The next query of the set-up is sent in this turn of the event loop, or never.
    else if (this.#riding === 0) setImmediate(() => this.#settingUp && this.#endIfDone());
  };

  #endIfDone(): void {
    if (this.#riding === 0) this.#end();
  }

  #note(outcome: Outcome): void {
    this.#outcome = this.#outcome === undefined ? outcome : worseOutcome(this.#outcome, outcome);
  }

  #keep(permit: Permit): void {
    this.#kept = permit;
  }

  #end(): void {
    const permit = this.#kept;
    const outcome = this.#outcome;
    this.#kept = undefined;
    this.#outcome = undefined;
    this.#settingUp = false;
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
