import type { BackpressureError } from '../../core/backpressure-error.js';
import type { Checkout } from './checkout.js';

/** Checkouts that have been admitted and wait for the pool to answer: nothing was sent for them yet. */
export class WaitingCheckouts {
  readonly #items = new Set<Checkout>();
  #end: (() => void) | undefined;

  /** `end()` was called and waits until these have been served. */
  get ending(): boolean {
    return this.#end !== undefined;
  }

  add(checkout: Checkout): void {
    this.#items.add(checkout);
  }

  /** The pool answers this one. @returns false if it is too late: it has been refused */
  answer(checkout: Checkout): boolean {
    return this.#items.delete(checkout);
  }

  /** To be called after an answer has been passed on. */
  answered(): void {
    if (this.#items.size > 0 || this.#end === undefined) return;
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
  refuseAll(rejection: () => BackpressureError): void {
    for (const checkout of [...this.#items]) {
      this.#items.delete(checkout);
      checkout.refused = true;
      checkout.fail('ignored');
      process.nextTick(checkout.callback, rejection(), undefined, () => {});
    }
    this.answered();
  }
}
