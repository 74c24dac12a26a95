import type { BackpressureError } from '../../core/backpressure-error.js';
import type { Checkout } from './checkout.js';

/** Checkouts that have been admitted and wait for the pool to answer: nothing was sent for them yet. */
export class WaitingCheckouts {
  /** In no order: one leaves by taking the last one into its place, since this happens for every query. */
  readonly #items: Checkout[] = [];
  #end: (() => void) | undefined;

  /** `end()` was called and waits until these have been served. */
  get ending(): boolean {
    return this.#end !== undefined;
  }

  add(checkout: Checkout): void {
    checkout.waitingAt = this.#items.push(checkout) - 1;
  }

  /** The pool answers this one. @returns false if it does not wait any more: it has been refused, or answered before */
  answer(checkout: Checkout): boolean {
    const place = checkout.waitingAt;
    if (place < 0) return false;
    checkout.waitingAt = -1;
    const last = this.#items.pop()!;
    if (last !== checkout) {
      this.#items[place] = last;
      last.waitingAt = place;
    }
    return true;
  }

  /** To be called after an answer has been passed on. */
  answered(): void {
    if (this.#items.length > 0 || this.#end === undefined) return;
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
  refuseAll(rejection: (checkout: Checkout) => BackpressureError): void {
    for (const checkout of this.#items.splice(0)) {
      checkout.waitingAt = -1;
      checkout.refused = true;
      checkout.fail('ignored');
      process.nextTick(checkout.callback, rejection(checkout), undefined, () => {});
    }
    this.answered();
  }
}
