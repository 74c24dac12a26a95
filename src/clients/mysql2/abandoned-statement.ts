import { KillBarrier } from './kill-barrier.js';
import { isAtWork, killStatement } from './kill-statement.js';
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
  #deadlinePassed = false;
  #reaction: NodeJS.Timeout | undefined;
  /** A request is under way, or has been answered. */
  #asked = false;
  #barrier: KillBarrier | undefined;
  #over = false;

  /**
   * @param stillRuns whether what the connection runs is what was abandoned
   * @param timeoutMs after this long the server is asked to kill the statement, and given up on if it can't be reached
   * @param onOver called once; `gaveUp` if nothing is known of the statement: the connection is of no use, and closed
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
    this.#deadline = setTimeout(() => {
      this.#deadlinePassed = true;
      this.cancel();
    }, timeoutMs);
    this.#deadline.unref();
    if (connection.stream.destroyed) process.nextTick(this.#onClose);
    else connection.stream.once('close', this.#onClose);
  }

  get over(): boolean {
    return this.#over;
  }

  /** While a `KILL` might still hit the connection's next statement. */
  get killing(): Promise<void> | undefined {
    return this.#barrier?.passed;
  }

  /** Ends it early: asks the server to kill it. */
  cancel(): void {
    if (this.#over || this.#asked) return;
    this.#asked = true;
    const { _closing, stream } = this.#connection;
    // Of a connection that is closing, there is no next statement.
    if (!_closing && !stream.destroyed) this.#barrier ??= new KillBarrier(this.#connection);
    this.#barrier?.raise();
    void killStatement(this.#connection, () => !this.#over && this.#stillRuns()).then((result) => {
      if (result === 'unanswered') {
        // It may arrive yet, and hit anything: the connection must not run anything more.
        this.#finish(true);
        this.#closeConnection();
        return;
      }
      this.#barrier?.lift(result === 'answered');
      if (this.#over) return;
      if (result !== 'unreachable') this.#lookLater();
      else if (this.#deadlinePassed) this.#finish(true);
      else this.#asked = false;
    });
  }

  /** The server has ended it. */
  ended(): void {
    this.#finish(false);
  }

  /** A server that was asked to end it may need long, for a rollback. */
  #lookLater(): void {
    this.#reaction = setTimeout(async () => {
      const working = await isAtWork(this.#connection);
      if (this.#over) return;
      if (working ?? !this.#deadlinePassed) this.#lookLater();
      else this.#finish(true);
    }, REACTION_MS);
    this.#reaction.unref();
  }

  readonly #onClose = () => this.#finish(false);

  #finish(gaveUp: boolean): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#reaction);
    this.#connection.stream.removeListener('close', this.#onClose);
    this.#onOver(gaveUp);
    if (gaveUp) this.#closeConnection();
  }

  #closeConnection(): void {
    const { _closing, stream } = this.#connection;
    // Those in its line are told, but nobody who has closed it himself.
    const error = new Error('floodgate: the server does not answer, and the connection is given up');
    stream.destroy?.(_closing ? undefined : Object.assign(error, { code: 'ETIMEDOUT' }));
  }
}

/** How long a server that took the request may need before it is asked what it does. */
const REACTION_MS = 5_000;
