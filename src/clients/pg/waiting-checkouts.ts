import type { BackpressureError } from '../../core/backpressure-error.js';
import type { ConnectCallback } from './pg-internals.js';

interface Waiting {
  readonly callback: ConnectCallback;
  /** Gives its permit back. */
  readonly giveUp: () => void;
}

/** Checkouts that have been admitted and wait for the pool to answer: nothing was sent for them yet. */
export class WaitingCheckouts {
  readonly #items = new Set<Waiting>();
  #end: (() => void) | undefined;

  /** `end()` was called and waits until these have been served. */
  get ending(): boolean {
    return this.#end !== undefined;
  }

  add(callback: ConnectCallback, giveUp: () => void): Waiting {
    const item = { callback, giveUp };
    this.#items.add(item);
    return item;
  }

  /** The pool answers this one. @returns false if it is too late: it has been refused */
  answer(item: Waiting): boolean {
    return this.#items.delete(item);
  }

  /** To be called after an answer has been passed on. */
  answered(): void {
    if (this.#items.size > 0 || this.#end === undefined) return;
    const end = this.#end;
    this.#end = undefined;
    end();
  }

  endWhenServed(end: () => void): void {
    this.#end = end;
  }

  /** At a drain's deadline: whoever still waits is refused. */
  refuseAll(rejection: () => BackpressureError): void {
    for (const item of [...this.#items]) {
      this.#items.delete(item);
      item.giveUp();
      process.nextTick(item.callback, rejection(), undefined, () => {});
    }
    this.answered();
  }
}
