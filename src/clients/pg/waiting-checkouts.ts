import type { BackpressureError } from '../../core/backpressure-error.js';
import { WaitingAnswers } from '../shared/waiting-answers.js';
import type { Checkout } from './checkout.js';

/** Checkouts that have been admitted and wait for the pool to answer; an `end()` may wait for them. */
export class WaitingCheckouts extends WaitingAnswers<Checkout> {
  #end: (() => void) | undefined;
  #turns = 0;

  /** `end()` was called and waits until these have been served. */
  get ending(): boolean {
    return this.#end !== undefined;
  }

  override add(checkout: Checkout): void {
    checkout.turn = ++this.#turns;
    super.add(checkout);
  }

  /**
   * Who has just left the pool's queue, to have a connection opened: the first that has `behind` others behind it. Those
   * before it have a client already and have not heard of it, since promises tell later.
   *
   * @param behind how many are in the queue still
   */
  nextInLine(behind: number): Checkout | undefined {
    const line = this.items.filter(({ openingSince }) => openingSince === undefined);
    // As a rule; a sort would cost as much as opening the connection where a thousand wait.
    if (line.length - 1 === behind) return earliest(line);
    return line.sort((one, other) => other.turn - one.turn)[behind];
  }

  /** To be called after an answer has been passed on. */
  answered(): void {
    if (this.size > 0 || this.#end === undefined) return;
    const end = this.#end;
    this.#end = undefined;
    end();
  }

  /** At once if none waits: the pool may still queue checkouts that a drain has refused. */
  endWhenServed(end: () => void): void {
    this.#end = end;
    this.answered();
  }

  /** At a drain's deadline: whoever still waits is refused. */
  refuseWaiting(rejection: (checkout: Checkout) => BackpressureError): void {
    this.refuseAll((checkout) => {
      checkout.refused = true;
      checkout.fail('ignored');
      process.nextTick(checkout.callback, rejection(checkout), undefined, () => {});
    });
    this.answered();
  }
}

function earliest(checkouts: readonly Checkout[]): Checkout | undefined {
  let found: Checkout | undefined;
  for (const checkout of checkouts) {
    if (found === undefined || checkout.turn < found.turn) found = checkout;
  }
  return found;
}
