/** What can be in {@link WaitingAnswers}. */
export interface Waiting {
  /** Its place there; kept by {@link WaitingAnswers}. -1: it is not there. */
  waitingAt: number;
}

/**
 * What has been admitted and waits for the driver's answer: nothing was sent for it yet, so it may still be refused. An
 * array whose gaps are filled from its end: a `Set` that much comes and goes in is made anew all the time.
 */
export class WaitingAnswers<T extends Waiting> {
  readonly #items: T[] = [];
  #onEmpty: (() => void) | undefined;

  get size(): number {
    return this.#items.length;
  }

  /** In no order. */
  protected get items(): readonly T[] {
    return this.#items;
  }

  add(item: T): void {
    item.waitingAt = this.#items.push(item) - 1;
  }

  /** The driver answers this one. @returns false if it waits no more: it has been refused, or answered before */
  answer(item: T): boolean {
    const index = item.waitingAt;
    if (index === -1) return false;
    item.waitingAt = -1;
    const last = this.#items.pop()!;
    if (last !== item) {
      this.#items[index] = last;
      last.waitingAt = index;
    }
    if (this.#items.length === 0) this.#onEmpty?.();
    return true;
  }

  /** @param which of them, if not all */
  refuseAll(refuse: (item: T) => void, which?: (item: T) => boolean): void {
    for (const item of this.#items.splice(0)) {
      if (which?.(item) === false) this.add(item);
      else {
        item.waitingAt = -1;
        refuse(item);
      }
    }
    if (this.#items.length === 0) this.#onEmpty?.();
  }

  /** Nothing more will be added. Calls back when nothing waits any more, at once if nothing does. */
  close(onEmpty: () => void): void {
    if (this.#items.length === 0) onEmpty();
    else this.#onEmpty = onEmpty;
  }
}
