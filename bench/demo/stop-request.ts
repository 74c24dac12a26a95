import { constants } from 'node:os';

/**
 * Ctrl-C (and its kin) asks the demo to stop; a second one ends the process on the spot, and the server module's watchdog
 * cleans up behind it.
 */
export class StopRequest {
  readonly #controller = new AbortController();
  #exitCode: number | undefined;
  #firstAt = 0;

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => this.#receive(128 + constants.signals[name]));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What a process that was ended by that signal is known by: 130 for Ctrl-C. `undefined` while nobody asked. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  #receive(exitCode: number): void {
    const now = performance.now();
    if (this.#exitCode === undefined) {
      this.#exitCode = exitCode;
      this.#firstAt = now;
      this.#controller.abort();
    } else if (now - this.#firstAt > ECHO_MS) {
      process.exit(exitCode);
    }
  }
}

/** npm passes on the Ctrl-C that the terminal has sent already; that is no second one. */
const ECHO_MS = 300;
