import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Marks code that holds a permit already, so that what it asks for rides on that one. One for each kind of client: inside
 * a transaction of one database, another database's limit still stands.
 */
export class Nesting {
  readonly #inside = new AsyncLocalStorage<true>();

  run<T>(fn: () => T): T {
    return this.#inside.run(true, fn);
  }

  get active(): boolean {
    return this.#inside.getStore() === true;
  }
}
