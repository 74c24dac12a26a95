import { EventHeap } from './event-heap.js';

/** How strong a database is at one moment. */
export interface Strength {
  /** Operations it serves at full speed side by side; 0: nothing moves (a black hole). */
  readonly capacity: number;
  /** Past the capacity each operation more costs this share of all the work (thrashing). */
  readonly contention: number;
}

/**
 * A database as a processor-sharing server. Up to `capacity` operations run at full speed; n beyond that share it:
 * speed of each = (capacity / n) / (1 + contention (n - capacity)). What has begun is served to its end, whoever waits for it.
 *
 * Exact, not stepped: virtual service time advances by the common speed, and an operation ends when it has advanced by
 * its demand.
 */
export class Database<T> {
  readonly #running = new EventHeap<T>();
  #strength: Strength;
  #served = 0;
  #at = 0;
  peak = 0;

  constructor(strength: Strength) {
    this.#strength = strength;
  }

  get inFlight(): number {
    return this.#running.size;
  }

  /** When the next operation ends, if nothing changes until then. */
  get nextAt(): number {
    const speed = this.#speed;
    if (speed === 0 || this.#running.size === 0) return Number.POSITIVE_INFINITY;
    return this.#at + Math.max(0, this.#running.nextAt - this.#served) / speed;
  }

  set(now: number, strength: Strength): void {
    this.#advance(now);
    this.#strength = strength;
  }

  /** @param demandMs how long it takes when it has the server to itself */
  begin(now: number, demandMs: number, operation: T): void {
    this.#advance(now);
    this.#running.add(this.#served + demandMs, operation);
    if (this.#running.size > this.peak) this.peak = this.#running.size;
  }

  /** The operation that ends at {@link nextAt}. */
  end(now: number): T {
    this.#advance(now);
    return this.#running.take();
  }

  get #speed(): number {
    const { capacity, contention } = this.#strength;
    const n = this.#running.size;
    return n <= capacity ? 1 : capacity / n / (1 + contention * (n - capacity));
  }

  #advance(now: number): void {
    this.#served += this.#speed * (now - this.#at);
    this.#at = now;
  }
}
