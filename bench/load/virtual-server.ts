import type { VirtualClock } from './virtual-clock.js';

export class Refused extends Error {}

export interface VirtualServerOptions {
  readonly clock: VirtualClock;
  /** How many it serves at a time; the others wait in line. */
  readonly width: number;
  readonly serviceMs: number;
  /** It refuses whoever comes while so many are there. */
  readonly refuseAbove?: number;
}

/** A server in virtual time, whose every figure can be told in advance. */
export class VirtualServer {
  readonly #options: VirtualServerOptions;
  readonly #line: (() => void)[] = [];
  #serving = 0;

  constructor(options: VirtualServerOptions) {
    this.#options = options;
  }

  readonly call = (): Promise<void> => {
    const { width, refuseAbove = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#serving + this.#line.length >= refuseAbove) return Promise.reject(new Refused());
    return new Promise((resolve) => {
      this.#line.push(resolve);
      if (this.#serving < width) this.#serveNext();
    });
  };

  #serveNext(): void {
    const answer = this.#line.shift();
    if (answer === undefined) return;
    this.#serving++;
    this.#options.clock.after(this.#options.serviceMs, () => {
      this.#serving--;
      answer();
      this.#serveNext();
    });
  }
}
