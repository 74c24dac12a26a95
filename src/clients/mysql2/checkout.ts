import { AbandonedStatement } from './abandoned-statement.js';
import { CheckoutPermit } from './checkout-permit.js';
import type { MysqlCommand, MysqlConnection } from './mysql-internals.js';
import type { CommandObserver } from './observe-command.js';

/** Where a checkout's connection comes from. */
export interface Lender {
  /** Gives the connection back to the driver's pool, or lets the next in line have the place of one that is gone. */
  giveBack(connection: MysqlConnection): void;
}

/** Who holds a connection now. */
export interface Slot {
  checkout: Checkout | undefined;
}

/**
 * One connection, checked out once: holds its permit until the connection is back *and* the server has nothing left to
 * do for it.
 */
export class Checkout extends CheckoutPermit {
  /** A reading of the clock when the connection was handed over; `NaN` if this checkout goes untimed. */
  lentAt = Number.NaN;
  #connection!: MysqlConnection;
  #slot!: Slot;
  #lender!: Lender;
  #state: 'held' | 'released' | 'settled' = 'held';
  #givenBack = false;
  /** Commands that the server may be working on. */
  #open = 0;
  /** Of these, those whose caller has had a timeout. */
  #timedOut = 0;
  /** The connection was destroyed: what runs on it, nobody wants. */
  #destroyed = false;
  /** Taken away from its holder. */
  #reclaimed = false;
  #lastCommand: CommandObserver | undefined;
  #abandoned: AbandonedStatement | undefined;
  /** Listens for the end of the connection. */
  #onClose: (() => void) | undefined;
  #reclaimTimer: NodeJS.Timeout | undefined;

  /** The pool hands the connection over. */
  begin(connection: MysqlConnection, slot: Slot, lender: Lender): void {
    this.#connection = connection;
    this.#slot = slot;
    this.#lender = lender;
    const { maxCheckoutMs } = this.context.options;
    if (maxCheckoutMs === undefined) return;
    this.#reclaimTimer = setTimeout(() => this.#reclaim(), maxCheckoutMs);
    this.#reclaimTimer.unref();
  }

  /** What the pool hands over is closed already: nothing can be sent, and nobody gives it back. */
  cameToNothing(): void {
    this.note('ignored');
    this.#givenBack = true;
    this.#settle();
  }

  /** @returns whether the command counts: not if the connection was given back before */
  commandStarted(command: CommandObserver): boolean {
    if (this.#state !== 'held') return false;
    this.#open++;
    this.#lastCommand = command;
    return true;
  }

  commandTimedOut(): void {
    this.#timedOut++;
    if (this.#state !== 'held') return;
    // Who holds it may send more; that the statement is killed is what they have chosen.
    if (this.forOneQuery || this.context.options.abandonedStatements === 'cancel') this.#abandon();
  }

  commandDone(timedOut: boolean): void {
    this.#open--;
    if (timedOut) this.#timedOut--;
    if (!this.#unwantedRuns()) this.#abandoned?.ended();
    if (this.#open === 0 && this.#state === 'released' && this.#abandoned?.over !== false) this.#settle();
  }

  /**
   * A tick after the pool's own query has failed, when mysql2 has given the connection back. It misses the end of one that
   * failed in the step in which it was asked (`execute` with a parameter that can't be serialised), and would keep it for ever.
   */
  giveBackAfter(command: MysqlCommand): void {
    if (this.#state !== 'held' || this.#open > 0) return;
    // Older versions wait for the server's answer to what they have not sent.
    if (this.#connection._command === command) this.#connection.destroy();
    else this.#connection.release?.();
  }

  /** @param gone whether the connection has left the pool: destroyed, or lost */
  release(gone: boolean): void {
    if (this.#state === 'released') {
      if (gone) this.#giveBack();
      else this.context.gate.doubleReleases++;
      return;
    }
    if (this.forOneQuery && !gone) {
      if (this.#lastCommand !== undefined) this.#lastCommand.ended();
      // mysql2 has turned the call down, an error of its caller's: one that has no row among the outcomes.
      else this.note('failed');
    }
    clearTimeout(this.#reclaimTimer);
    if (!gone && this.#timedOut === 0 && this.#abandoned?.killing === undefined) {
      // With `resetOnRelease`, the pool sends one command more, which is ours.
      this.#giveBack();
      this.#state = 'released';
      this.#settleWhenDone();
      return;
    }
    this.#state = 'released';
    if (gone) this.#leftPool();
    else if (this.#timedOut > 0) this.#abandon();
    else this.#afterKill(this.#abandoned!.killing!);
  }

  /** mysql2 takes nothing back after `end()`: the permit comes back with the last answer, or when the connection closes. */
  poolEnded(): void {
    clearTimeout(this.#reclaimTimer);
    const idle = this.#state === 'held' && this.#open === 0;
    this.#state = 'released';
    this.#givenBack = true;
    if (this.#timedOut > 0) this.#abandon();
    else if (idle) this.#settleOnClose();
    else this.#settleWhenDone();
  }

  /** What the holder has sent and not waited for runs on, and so does the permit. */
  #settleWhenDone(): void {
    if (this.#open === 0) this.#settle();
    else this.#settleOnClose();
  }

  #settleOnClose(): void {
    if (this.#onClose !== undefined) return;
    this.#onClose = () => this.#closed();
    this.#connection.stream.once('close', this.#onClose);
  }

  #closed(): void {
    if (this.#open > 0) this.note('overload');
    this.#settle();
  }

  /** The caller has gone; the permit and the pool's place stay with the statement until the server is done. */
  #abandon(): void {
    const { abandonedStatements, abandonedTimeoutMs } = this.context.options;
    if (this.#abandoned === undefined || this.#abandoned.over) {
      this.#abandoned = new AbandonedStatement(
        this.#connection,
        () => this.#unwantedRuns(),
        abandonedTimeoutMs,
        (gaveUp) => this.#abandonedIsOver(gaveUp),
      );
    }
    if (abandonedStatements === 'cancel') this.#abandoned.cancel();
  }

  /** Whether the server works on something that nobody waits for. */
  #unwantedRuns(): boolean {
    return this.#destroyed ? this.#open > 0 : this.#timedOut > 0;
  }

  #abandonedIsOver(gaveUp: boolean): void {
    const { stream } = this.#connection;
    const killing = this.#abandoned?.killing;
    if (gaveUp) {
      this.note('overload');
      this.#settle();
    } else if (stream.destroyed) {
      this.#closed();
      this.#giveBack();
    } else if (this.#state === 'held') {
      // Its holder goes on, or the pool gives it back now.
      if (killing === undefined) this.#abandoned = undefined;
    } else {
      this.#abandoned = undefined;
      if (killing !== undefined && !this.#givenBack) this.#afterKill(killing);
      else {
        this.#settleWhenDone();
        this.#giveBack();
      }
    }
  }

  /** A `KILL` that comes late must not hit the next holder. */
  #afterKill(killing: Promise<void>): void {
    this.#settleOnClose();
    void killing.then(() => {
      this.#settleWhenDone();
      this.#giveBack();
    });
  }

  #leftPool(): void {
    if (this.#open > 0 && !isLost(this.#connection)) {
      this.#settleOnClose();
      // With `gracefulEnd`, its holder waits for what runs. It is known on the next tick.
      process.nextTick(() => this.#connection._closing && this.#abandonDestroyed());
    } else {
      if (this.#open > 0) this.note('overload');
      this.#settle();
    }
    this.#giveBack();
  }

  /** mysql2 only closes its own side, and the server works on. */
  #abandonDestroyed(): void {
    if (this.#state === 'settled') return;
    this.#destroyed = true;
    this.#abandon();
    if (this.#reclaimed) this.#abandoned?.cancel();
  }

  #reclaim(): void {
    this.note('failed');
    this.#reclaimed = true;
    this.#connection.destroy();
  }

  #giveBack(): void {
    if (this.#givenBack) return;
    this.#givenBack = true;
    this.#lender.giveBack(this.#connection);
  }

  #settle(): void {
    if (this.#state === 'settled') return;
    this.#state = 'settled';
    clearTimeout(this.#reclaimTimer);
    if (this.#onClose !== undefined) this.#connection.stream.removeListener('close', this.#onClose);
    if (this.#slot.checkout === this) this.#slot.checkout = undefined;
    this.returnPermit();
  }
}

/** Whether the other side is gone, in contrast to a connection that we are closing. */
function isLost({ stream }: MysqlConnection): boolean {
  return stream.destroyed === true || stream.readableEnded === true;
}
