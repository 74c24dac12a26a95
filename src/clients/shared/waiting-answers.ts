import type { BackpressureError } from '../../core/backpressure-error.js';

interface Waiting {
  /** Tells its caller. */
  readonly refuse: (rejection: BackpressureError) => void;
  /** Gives its permit back. */
  readonly giveUp: () => void;
}

/** What has been admitted and waits for the driver's answer: nothing was sent for it yet, so it may still be refused. */
export class WaitingAnswers {
  readonly #items = new Set<Waiting>();

  add(refuse: Waiting['refuse'], giveUp: () => void): Waiting {
    const item = { refuse, giveUp };
    this.#items.add(item);
    return item;
  }

  /** The driver answers this one. @returns false if it is too late: it has been refused */
  answer(item: Waiting): boolean {
    return this.#items.delete(item);
  }

  /** At a drain's deadline. Their callers hear of it on a later tick. */
  refuseAll(rejection: () => BackpressureError): void {
    for (const item of [...this.#items]) {
      this.#items.delete(item);
      item.giveUp();
      process.nextTick(item.refuse, rejection());
    }
  }
}
