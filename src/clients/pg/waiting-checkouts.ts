import type { BackpressureError } from '../../core/backpressure-error.js';
import { WaitingAnswers } from '../shared/waiting-answers.js';
import type { Checkout } from './checkout.js';

/** Checkouts that have been admitted and wait for the pool to answer; an `end()` may wait for them. */
export class WaitingCheckouts extends WaitingAnswers<Checkout> {
  #end: (() => void) | undefined;

  /** `end()` was called and waits until these have been served. */
  get ending(): boolean {
    return this.#end !== undefined;
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
