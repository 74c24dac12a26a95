import type { Gate } from '../core/gate.js';

interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  readonly overloaded: number;
  readonly ignored: number;
  readonly admitted: number;
}

/**
 * How operations ended since a window began: differences of the gate's accounts.
 *
 * An overload is counted when it is told, which for a pool is before its permit comes back (a timed-out statement keeps
 * it while the server still works); the permit's later return is then not counted again.
 */
export class OutcomeTotals {
  readonly #gate: Gate;
  #from: Counts;
  /** Overloads told as latencies in this window. */
  toldOverload = 0;
  /** Told, but their permits are still out. */
  #owed = 0;

  constructor(gate: Gate) {
    this.#gate = gate;
    this.#from = this.#now();
  }

  begin(): void {
    // What ended between two windows settles what is owed as well.
    this.#settleOwed(this.#now().overloaded - this.#from.overloaded);
    this.#from = this.#now();
    this.toldOverload = 0;
  }

  ended(): number {
    const now = this.#now();
    const from = this.#from;
    return (
      now.succeeded -
      from.succeeded +
      now.failed -
      from.failed +
      now.overloaded -
      from.overloaded +
      this.toldOverload
    );
  }

  end(): Counts {
    const now = this.#now();
    const from = this.#from;
    const returned = now.overloaded - from.overloaded;
    const overloaded = Math.max(this.toldOverload, returned - this.#owed);
    this.#settleOwed(returned);
    this.#from = now;
    return {
      succeeded: now.succeeded - from.succeeded,
      failed: now.failed - from.failed,
      overloaded,
      ignored: now.ignored - from.ignored,
      admitted: now.admitted - from.admitted,
    };
  }

  #settleOwed(returned: number): void {
    // Never more than permits are out: a transaction may tell of several timeouts and end once.
    this.#owed = Math.min(Math.max(0, this.#owed + this.toldOverload - returned), this.#gate.running);
    this.toldOverload = 0;
  }

  #now(): Counts {
    let [succeeded, failed, overloaded, ignored, admitted] = [0, 0, 0, 0, 0];
    for (const { ended, admitted: some } of this.#gate.classes) {
      succeeded += ended.success;
      failed += ended.failed;
      overloaded += ended.overload;
      ignored += ended.ignored;
      admitted += some;
    }
    return { succeeded, failed, overloaded, ignored, admitted };
  }
}
