/** The least that a limit on concurrency can be: what every other gate is measured against. */
export class BareCounter {
  #running = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(fn: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) throw new Error('full');
    this.#running++;
    try {
      return await fn();
    } finally {
      this.#running--;
    }
  }
}
