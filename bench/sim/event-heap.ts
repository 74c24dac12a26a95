/** What happens next, by time and then by the order it was added in: runs repeat exactly. A binary heap. */
export class EventHeap<T> {
  readonly #at: number[] = [];
  readonly #order: number[] = [];
  readonly #items: T[] = [];
  #added = 0;

  get size(): number {
    return this.#items.length;
  }

  /** When the first is due; `Infinity` if there is none. */
  get nextAt(): number {
    return this.#at[0] ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, item: T): void {
    let index = this.#items.length;
    const order = this.#added++;
    this.#at.push(at);
    this.#order.push(order);
    this.#items.push(item);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#before(index, parent)) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  take(): T {
    const last = this.#items.length - 1;
    this.#swap(0, last);
    const item = this.#items.pop()!;
    this.#at.pop();
    this.#order.pop();
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#before(child + 1, child)) child++;
      if (!this.#before(child, index)) break;
      this.#swap(child, index);
      index = child;
    }
    return item;
  }

  #before(a: number, b: number): boolean {
    const difference = this.#at[a]! - this.#at[b]!;
    return difference < 0 || (difference === 0 && this.#order[a]! < this.#order[b]!);
  }

  #swap(a: number, b: number): void {
    [this.#at[a], this.#at[b]] = [this.#at[b]!, this.#at[a]!];
    [this.#order[a], this.#order[b]] = [this.#order[b]!, this.#order[a]!];
    [this.#items[a], this.#items[b]] = [this.#items[b]!, this.#items[a]!];
  }
}
