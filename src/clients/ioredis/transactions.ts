import type { RejectReason } from '../../core/backpressure-error.js';
import type { Outcome } from '../../core/outcome.js';
import type { Hold } from './hold.js';
import type { RedisCommand } from './ioredis-internals.js';

/** A transaction whose commands are sent one by one: `multi({ pipeline: false })` to `exec()` or `discard()`. */
export class Transaction {
  readonly multi: RedisCommand;
  readonly #hold: Hold;
  /** The server has opened it: it is gone with the connection. */
  opened = false;

  constructor(multi: RedisCommand, hold: Hold) {
    this.multi = multi;
    this.#hold = hold;
  }

  end(outcome: Outcome): void {
    this.#hold.settle(outcome);
  }
}

/**
 * Whether a transaction is open on a client's connection: what is sent meanwhile belongs to it and is never refused. One
 * permit lasts from MULTI to the answer of EXEC or DISCARD, or until the connection is lost.
 */
export class Transactions {
  /** In the order of the wire: from sending MULTI to sending EXEC or DISCARD. */
  #open: Transaction | undefined;
  #refused: RejectReason | undefined;
  #watchRefused: RejectReason | undefined;
  readonly #byCommand = new WeakMap<RedisCommand, Transaction>();

  get open(): boolean {
    return this.#open !== undefined;
  }

  /**
   * Why MULTI was refused, for what is called right after it and would have been in its transaction: outside of one it must
   * not be done.
   */
  get refused(): RejectReason | undefined {
    return this.#refused;
  }

  /** MULTI is refused. Who waits for its answer knows; who does not, calls the rest before anybody could know. */
  refuse(reason: RejectReason): void {
    this.#refused = reason;
    queueMicrotask(() => {
      this.#refused = undefined;
    });
  }

  /** WATCH is refused. A transaction that is sent before its caller can know would be done unwatched. */
  refuseWatch(reason: RejectReason): void {
    this.#watchRefused = reason;
    queueMicrotask(() => {
      this.#watchRefused = undefined;
    });
  }

  /** Why WATCH was refused, for a transaction that is begun right after it. */
  get watchRefused(): RejectReason | undefined {
    return this.#watchRefused;
  }

  /** @returns what to tell when MULTI has been answered */
  begin(multi: RedisCommand, hold: Hold): (outcome: Outcome) => void {
    const transaction = new Transaction(multi, hold);
    this.#byCommand.set(multi, transaction);
    this.#open = transaction;
    return (outcome) => {
      if (outcome === 'success') {
        transaction.opened = true;
        return;
      }
      if (this.#open === transaction) this.#open = undefined;
      transaction.end(outcome);
    };
  }

  /** EXEC or DISCARD is sent. */
  finish(command: RedisCommand): Transaction | undefined {
    this.#refused = undefined;
    const transaction = this.#open;
    this.#open = undefined;
    if (transaction !== undefined) this.#byCommand.set(command, transaction);
    return transaction;
  }

  /** The client sends a command another time, on another connection. */
  sentAgain(command: RedisCommand): void {
    const transaction = this.#byCommand.get(command);
    if (transaction === undefined) return;
    this.#open = transaction.multi === command ? transaction : undefined;
  }

  connectionLost(): void {
    const transaction = this.#open;
    this.#open = undefined;
    // One that was not opened yet has its MULTI among the commands that are sent again, or rejected.
    if (transaction?.opened) transaction.end('overload');
  }
}
