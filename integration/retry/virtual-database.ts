import type { VirtualClock } from '../../bench/load/virtual-clock.js';
import { Database } from '../../bench/sim/database.js';

/** The simulator's database for callers that await promises: it serves in virtual time, and freezes when told to. */
export class VirtualDatabase {
  readonly #clock: VirtualClock;
  readonly #capacity: number;
  readonly #contention: number;
  readonly #database: Database<() => void>;
  #cancel: () => void = () => {};

  /**
   * @param capacity how many it serves side by side at full speed
   * @param contention what each one more costs, as a share of all the work
   */
  constructor(clock: VirtualClock, capacity: number, contention: number) {
    this.#clock = clock;
    this.#capacity = capacity;
    this.#contention = contention;
    this.#database = new Database({ capacity, contention });
  }

  /** @param demandMs how long it takes when the database is not overloaded */
  call(demandMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#database.begin(this.#clock.now(), demandMs, resolve);
      this.#arm();
    });
  }

  /** Nothing moves any more, and nothing is lost. */
  freeze(): void {
    this.#setCapacity(0);
  }

  thaw(): void {
    this.#setCapacity(this.#capacity);
  }

  #setCapacity(capacity: number): void {
    this.#database.set(this.#clock.now(), { capacity, contention: this.#contention });
    this.#arm();
  }

  #arm(): void {
    this.#cancel();
    const { nextAt } = this.#database;
    if (nextAt === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#clock.after(nextAt - this.#clock.now(), () => {
      this.#database.end(this.#clock.now())();
      this.#arm();
    });
  }
}
