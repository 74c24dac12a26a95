import { OperationClass } from './operation-class.js';

/** The classes of one limiter, by name: bounded, so that names made from user input cannot eat the memory. */
export class OperationClasses implements Iterable<OperationClass> {
  readonly #byName = new Map<string, OperationClass>();
  readonly #bulkheads: Readonly<Record<string, number>>;

  constructor(bulkheads: Readonly<Record<string, number>>) {
    this.#bulkheads = bulkheads;
  }

  /** The class of that name; past {@link MAX_CLASSES} names, new ones share the class `'other'`. */
  get(name: string): OperationClass {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    if (this.#byName.size >= MAX_CLASSES && !Object.hasOwn(this.#bulkheads, name) && name !== OVERFLOW) {
      return this.get(OVERFLOW);
    }
    const bulkhead = Object.hasOwn(this.#bulkheads, name) ? this.#bulkheads[name] : undefined;
    const created = new OperationClass(name, bulkhead);
    this.#byName.set(name, created);
    return created;
  }

  [Symbol.iterator](): IterableIterator<OperationClass> {
    return this.#byName.values();
  }
}

export const MAX_CLASSES = 64;
const OVERFLOW = 'other';
