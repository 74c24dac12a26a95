import type { LoadClock } from './load-clock.js';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/** Time that passes only while somebody waits for it: a minute of load is over in milliseconds, and always the same. */
export class VirtualClock implements LoadClock {
  #now = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  /**
   * Calls back after `ms` of virtual time; timers of the same moment fire in the order they were set.
   *
   * @returns takes the timer back
   */
  after(ms: number, fire: () => void): () => void {
    const timer = { at: this.#now + ms, fire };
    const index = this.#timers.findLastIndex(({ at }) => at <= timer.at) + 1;
    this.#timers.splice(index, 0, timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.length;
  }

  async pause(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await settledPromises();
      const next = this.#timers[0];
      if (next === undefined || next.at > until) break;
      this.#timers.shift();
      this.#now = next.at;
      next.fire();
    }
    this.#now = until;
  }
}

/** Whatever follows from promises that are settled has run. */
function settledPromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
