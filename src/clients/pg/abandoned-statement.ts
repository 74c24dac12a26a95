import { cancelStatement } from './cancel-statement.js';
import type { PgClient } from './pg-internals.js';

/**
 * A statement whose caller has gone (its `query_timeout` passed) while the server still works on it. Keeps the connection
 * open and watches it, so that the permit and the pool's place come back when the server is really done: at its
 * `ReadyForQuery`, or when the connection is lost.
 */
export class AbandonedStatement {
  readonly #client: PgClient;
  readonly #stream: unknown;
  readonly #onDone: (gaveUp: boolean) => void;
  readonly #deadline: NodeJS.Timeout;
  /** Told of a cancel request that is under way. */
  onCancel: ((request: Promise<void>) => void) | undefined;
  #over = false;
  #idle = false;
  #cancelling = false;

  /**
   * @param silenced whether nobody else listens to the client's errors any more (a pooled client that was released)
   * @param timeoutMs after this long the server is asked to cancel the statement, and given up on if it can't be reached
   * @param stream pg's `stream` option
   * @param onDone called once; `gaveUp` if nothing is known of the statement, so that the connection is of no use any more
   */
  constructor(
    client: PgClient,
    silenced: boolean,
    timeoutMs: number,
    stream: unknown,
    onDone: (gaveUp: boolean) => void,
  ) {
    this.#client = client;
    this.#stream = stream;
    this.#onDone = onDone;
    this.#deadline = setTimeout(() => void this.cancel(), timeoutMs);
    this.#deadline.unref();
    if (silenced) client.on('error', ignoreError);
    if (client.connection === undefined) client.once('drain', this.#onIdle);
    else client.connection.once('readyForQuery', this.#onIdle);
    client.once('end', this.#onLost);
  }

  /** Ends it early: asks the server to cancel, and gives up on a server that does not react. */
  cancel(): Promise<void> {
    clearTimeout(this.#deadline);
    const request = this.#cancel();
    this.onCancel?.(request);
    return request;
  }

  async #cancel(): Promise<void> {
    this.#cancelling = true;
    const reached = await cancelStatement(this.#client, this.#stream);
    this.#cancelling = false;
    if (this.#over) return;
    if (this.#idle) this.#finish(false);
    else if (!reached) this.#finish(true);
    else setTimeout(() => this.#finish(true), REACTION_MS).unref();
  }

  /** A cancel request under way hits whatever runs on the connection when it arrives: nobody may have it until then. */
  readonly #onIdle = () => {
    this.#idle = true;
    if (!this.#cancelling) this.#finish(false);
  };

  /** A connection may be lost on our side only (pg drops it on a timeout in pipeline mode): then the server runs on. */
  readonly #onLost = () => void cancelStatement(this.#client, this.#stream).then(() => this.#finish(true));

  #finish(gaveUp: boolean): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#deadline);
    this.#client.removeListener('drain', this.#onIdle);
    this.#client.connection?.removeListener('readyForQuery', this.#onIdle);
    this.#client.removeListener('end', this.#onLost);
    this.#onDone(gaveUp);
    // The pool listens again by now (or the client is gone).
    this.#client.removeListener('error', ignoreError);
  }
}

/** Whether the server still works for this client, as far as the driver knows. */
export function hasActiveStatement(client: PgClient): boolean {
  // Native bindings keep the last query there; they have a method that knows better.
  if (client.native !== undefined) {
    return client._hasActiveQuery?.() === true || runningOn.has(client._activeQuery as object);
  }
  // Its name before pg 8.17, where reading it now warns.
  return ('_activeQuery' in client ? client._activeQuery : client.activeQuery) != null;
}

/**
 * To be called when a `query_timeout` has fired: the native bindings then take the query for done, though libpq still
 * waits for it.
 */
export function noteTimeout(client: PgClient): void {
  const active = client._activeQuery as NativeQuery | null | undefined;
  if (client.native === undefined || active?.state !== 'running') return;
  runningOn.add(active);
  active.once('_done', () => runningOn.delete(active));
}

interface NativeQuery {
  readonly state: string;
  once(event: '_done', listener: () => void): void;
}

const runningOn = new WeakSet<object>();

/** How long a server that took the cancel request may need to end the statement. */
const REACTION_MS = 5_000;

/** Nobody holds the client: an 'error' without a listener would end the process. */
function ignoreError(): void {}
