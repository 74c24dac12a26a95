import type { EventEmitter } from 'node:events';

/*
 * What floodgate uses of pg and pg-pool at run time, in structural types: the client comes in as an argument and is never
 * imported. Members with an underscore are no public API of pg; each has been there since pg 8.0, and where one is
 * missing (native bindings, forks) the code that asks for it goes on without.
 */

export type Callback = (error?: unknown, ...results: unknown[]) => void;
export type Release = (error?: unknown) => void;
export type ConnectCallback = (error: unknown, client: PgClient | undefined, done: Release) => void;

type ClientClass = new (...args: readonly never[]) => PgClient;

export interface PgPool extends EventEmitter {
  connect(callback?: ConnectCallback): unknown;
  query(...args: readonly unknown[]): unknown;
  end(callback?: Callback): unknown;
  readonly waitingCount: number;
  readonly ending: boolean;
  /** What its clients are made of; pools of other makes may have none. */
  readonly Client?: ClientClass;
  readonly options: { readonly allowExitOnIdle?: boolean; readonly stream?: unknown };
  /** The promise class for results: a deprecated option of pg. */
  readonly Promise: PromiseConstructor;
}

export interface PgClient extends EventEmitter {
  connect(callback?: Callback): unknown;
  end(callback?: Callback): unknown;
  query(config: unknown, values?: unknown, callback?: unknown): unknown;
  /** Made anew by pg-pool for every checkout. */
  release: Release;
  ref?(): void;
  unref?(): void;
  getTransactionStatus?(): 'I' | 'T' | 'E' | null;
  readonly host?: string;
  readonly port?: number;
  readonly ssl?: unknown;
  readonly processID?: number | null;
  readonly secretKey?: unknown;
  readonly connection?: PgConnection;
  /** libpq's handle, with native bindings. */
  readonly native?: { cancel(callback: (error?: unknown) => void): void };
  readonly _Promise?: PromiseConstructor;
  /** The statement on the wire; stays until the server is ready for the next one, whatever a timer told the caller. */
  readonly _activeQuery?: unknown;
  readonly activeQuery?: unknown;
  /** `false` from sending a statement until the server says that it is ready for the next. */
  readonly readyForQuery?: boolean;
  /** `false` for good once the connection has failed. */
  readonly _queryable?: boolean;
  /** Queries that wait for the one on the wire. */
  readonly _queryQueue?: readonly unknown[];
  readonly _connecting?: boolean;
  readonly _connected?: boolean;
  /** `end()` was called. */
  readonly _ending?: boolean;
  /** Native bindings only. */
  _hasActiveQuery?(): boolean;
}

/** pg's protocol connection; its constructor serves for the cancel request, so that TLS and sockets are as configured. */
export interface PgConnection extends EventEmitter {
  readonly constructor: new (config: { ssl: unknown; stream?: unknown }) => PgConnection;
  readonly ssl?: unknown;
  readonly stream: { destroy(): void; readonly destroyed?: boolean };
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: unknown): void;
}

/** What pg drives itself: `pg.Query`, Cursor, QueryStream, COPY streams, and anything of that shape. */
export interface Submittable {
  submit: (connection: unknown) => unknown;
  callback?: Callback;
  /** Absent on a Query of the native bindings, which emits `_done`. */
  handleReadyForQuery?: (...args: unknown[]) => unknown;
  once?(event: string, listener: () => void): unknown;
  handleError: (error: unknown, connection?: unknown) => unknown;
}

export function isSubmittable(value: unknown): value is Submittable {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { submit?: unknown }).submit === 'function'
  );
}

/** COPY streams take over the connection's bytes; whatever brings rows has a handler for their description. */
export function isCopy(value: unknown): boolean {
  return isSubmittable(value) && !('handleRowDescription' in value);
}
