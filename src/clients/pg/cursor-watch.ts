import { defineHidden } from '../shared/patch-methods.js';
import type { Callback, PgClient } from './pg-internals.js';

/** What of a pg-cursor is used here. */
export interface CursorLike {
  read: (rows: number, callback: Callback) => unknown;
  close: (callback: Callback) => unknown;
}

export function isCursor(value: unknown): value is CursorLike {
  const { read, close } = value as Partial<CursorLike>;
  return typeof read === 'function' && typeof close === 'function';
}

/**
 * Makes every read and close of a cursor answer, once, with the error that ended it. pg-cursor leaves them open when the
 * connection is lost at the wrong moment or the cursor is closed before its reads were sent, and takes a cursor whose
 * `query_timeout` fired for one that is at its end. The holder of a client hears of a loss from the client; whoever called
 * `pool.query` has only the cursor, or the stream that reads from it.
 *
 * Made before the client is there, since that is when the first reads come.
 */
export class CursorWatch {
  readonly #unanswered = new Set<Callback>();
  readonly #close: CursorLike['close'];
  /** Why nothing will be answered any more. */
  #failure: { readonly error: unknown } | undefined;
  /** `close` was called. */
  #closing = false;
  #closers: Callback[] = [];
  #client: PgClient | undefined;

  constructor(cursor: CursorLike) {
    const { read, close } = cursor;
    this.#close = (callback) => close.call(cursor, callback);
    defineHidden(cursor, 'read', (rows: number, callback?: Callback) =>
      eitherForm(callback, (given) => this.#read((answer) => read.call(cursor, rows, answer), given)),
    );
    defineHidden(cursor, 'close', (callback?: Callback) =>
      eitherForm(callback, (given) => this.#closeAfterReads(given)),
    );
  }

  /** It was closed, and nobody waits for rows: there is nothing to run it for. */
  get closedUnread(): boolean {
    return this.#closing && this.#unanswered.size === 0;
  }

  /** The client it runs on; its end is the cursor's. */
  attach(client: PgClient): void {
    this.#client = client;
    client.once('end', this.#onLost);
  }

  /** It has had its last word from the server. */
  detach(): void {
    this.#client?.removeListener('end', this.#onLost);
  }

  /** Answers what is open, and whatever comes, with this error; `undefined`: there are no rows. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.detach();
    for (const answer of [...this.#unanswered]) this.#answerFailed(answer);
    // A cursor that has failed is as closed as can be.
    setImmediate(() => this.#closed(undefined));
  }

  readonly #onLost = () => this.fail(new Error('Connection terminated unexpectedly'));

  #read(ask: (answer: Callback) => void, callback: Callback): void {
    if (this.#failure !== undefined) {
      setImmediate(() => this.#answerFailed(callback));
      return;
    }
    const answer: Callback = (...results) => {
      if (!this.#unanswered.delete(answer)) return;
      callback(...results);
      if (this.#unanswered.size === 0) this.#closeNow();
    };
    this.#unanswered.add(answer);
    ask(answer);
  }

  #answerFailed(answer: Callback): void {
    const { error } = this.#failure!;
    if (error) answer(error);
    else answer(null, []);
  }

  /** pg-cursor would drop reads that it has not sent. */
  #closeAfterReads(callback: Callback): void {
    this.#closing = true;
    this.#closers.push(callback);
    if (this.#failure !== undefined) setImmediate(() => this.#closed(undefined));
    else if (this.#unanswered.size === 0) this.#closeNow();
  }

  #closeNow(): void {
    if (this.#closing && this.#failure === undefined) this.#close((error) => this.#closed(error));
  }

  #closed(error: unknown): void {
    for (const callback of this.#closers.splice(0)) callback(error);
  }
}

/** Both forms of pg-cursor's methods: a promise without a callback. */
function eitherForm(callback: Callback | undefined, run: (callback: Callback) => void): unknown {
  if (callback) return run(callback);
  return new Promise((resolve, reject) => {
    run((error, result) => (error ? reject(error) : resolve(result)));
  });
}
