import { killStatement } from './kill-statement.js';
import type { MysqlConnection } from './mysql-internals.js';

/**
 * A statement that nobody waits for any more, while the server may still work on it: its caller's timeout has passed, or
 * its connection was destroyed under it. Watches the connection, so that the permit comes back when the server is really
 * done.
 */
export class AbandonedStatement {
  readonly #connection: MysqlConnection;
  readonly #stillRuns: () => boolean;
  readonly #onOver: (gaveUp: boolean) => void;
  readonly #deadline: NodeJS.Timeout;
  #reaction: NodeJS.Timeout | undefined;
  #killing: Promise<unknown> | undefined;
  #over = false;

  /**
   * @param stillRuns whether what the connection runs is what was abandoned
   * @param timeoutMs after this long the server is asked to kill the statement, and given up on if it can't be reached
   * @param onOver called once; `gaveUp` if nothing is known of the statement, so that the connection is of no use
   */
  constructor(
    connection: MysqlConnection,
    stillRuns: () => boolean,
    timeoutMs: number,
    onOver: (gaveUp: boolean) => void,
  ) {
    this.#connection = connection;
    this.#stillRuns = stillRuns;
    this.#onOver = onOver;
    this.#deadline = setTimeout(() => this.cancel(), timeoutMs);
    this.#deadline.unref();
    if (connection.stream.destroyed) process.nextTick(this.#onClose);
    else connection.stream.once('close', this.#onClose);
  }

  get over(): boolean {
    return this.#over;
  }

  /** A `KILL` that is under way: until it is over, it might hit the connection's next statement. */
  get killing(): Promise<unknown> | undefined {
    return this.#killing;
  }

  /** Ends it early: asks the server to kill it, and gives up on a server that does not react. */
  cancel(): void {
    if (this.#over || this.#killing !== undefined) return;
    clearTimeout(this.#deadline);
    this.#killing = killStatement(this.#connection, () => !this.#over && this.#stillRuns()).then(
      (reached) => {
        this.#killing = undefined;
        if (this.#over) return;
        if (!reached) this.#finish(true);
        else {
          this.#reaction = setTimeout(() => this.#finish(true), REACTION_MS);
          this.#reaction.unref();
        }
      },
    );
  }

  /** The server has ended it. */
  ended(): void {
    this.#finish(false);
  }

  readonly #onClose = () => this.#finish(false);

  #finish(gaveUp: boolean): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#reaction);
    this.#connection.stream.removeListener('close', this.#onClose);
    this.#onOver(gaveUp);
  }
}

/** How long a server that took the request may need to end the statement. */
const REACTION_MS = 5_000;
