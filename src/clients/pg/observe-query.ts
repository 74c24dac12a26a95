import { defineHidden } from '../shared/patch-methods.js';
import { isQueryTimeout } from './outcomes.js';
import { type Callback, isSubmittable, type PgClient, type Submittable } from './pg-internals.js';

export type Settled = (error: unknown) => void;

/** Is told once, when pg stops considering the query active (or a `query_timeout` answered its caller). */
export abstract class QueryObserver {
  #open = true;

  settled(error: unknown): void {
    if (!this.#open) return;
    this.#open = false;
    this.onSettled(error);
  }

  protected abstract onSettled(error: unknown): void;
}

/** Observes a query by a function. */
export class QueryHook extends QueryObserver {
  readonly #hook: Settled;

  constructor(hook: Settled) {
    super();
    this.#hook = hook;
  }

  protected override onSettled(error: unknown): void {
    this.#hook(error);
  }
}

/**
 * Calls the driver's `query`, telling when it has settled: same results, same errors, same synchronous throws. It hooks
 * the driver's own completion callback and never a promise's side branch, which would hide unhandled rejections.
 *
 * @param behind the driver's own methods
 */
export function observeQuery(
  client: PgClient,
  behind: Pick<PgClient, 'query'>,
  config: unknown,
  values: unknown,
  callback: unknown,
  observer: QueryObserver,
): unknown {
  try {
    if (isSubmittable(config)) {
      const settled = (error: unknown) => observer.settled(error);
      hookCompletion(config, 'before', settled);
      hookTimeout(config, givenCallback(config, values, callback), settled);
      return behind.query.call(client, config, values, callback);
    }
    const parameters = typeof values === 'function' ? undefined : values;
    const given = givenCallback(config, values, callback);
    if (typeof given === 'function') {
      // No rest parameters here and below: this runs for every query.
      return withCallback(client, behind, config, parameters, function (this: unknown, error, result) {
        observer.settled(error);
        // biome-ignore lint/complexity/noArguments: an error comes alone, and callbacks may count
        return arguments.length < 2 ? given.call(this, error) : given.call(this, error, result);
      });
    }
    return promised(client, behind, config, parameters, observer);
  } catch (error) {
    observer.settled(error);
    throw error;
  }
}

/** Calls the driver's `connect` in the form that was used, telling when it has settled. */
export function observeConnect(
  client: PgClient,
  behind: Pick<PgClient, 'connect'>,
  callback: Callback | undefined,
  onSettled: Settled,
): unknown {
  const settled = once(onSettled);
  try {
    if (callback) {
      return behind.connect.call(client, function (this: unknown, error, ...results) {
        settled(error);
        return callback.call(this, error, ...results);
      });
    }
    // A hook on a side branch would hide an unhandled rejection: this is the branch that the caller gets.
    return (behind.connect.call(client) as Promise<unknown>).then(
      (result) => {
        settled(undefined);
        return result;
      },
      (error) => {
        settled(error);
        throw error;
      },
    );
  } catch (error) {
    settled(error);
    throw error;
  }
}

/** The promise class that the client makes its promises of. */
export function promiseClass(client: PgClient): PromiseConstructor {
  return client._Promise ?? Promise;
}

/** The callback that the driver would take, in its order of precedence; it may be no function at all. */
export function givenCallback(config: unknown, values: unknown, callback: unknown): unknown {
  if (callback) return callback;
  if (typeof values === 'function') return values;
  return typeof config === 'object' && config !== null
    ? (config as { callback?: unknown }).callback
    : undefined;
}

/** Whether the driver will refuse these arguments with a synchronous `TypeError`: they are its business, not ours. */
export function isInvalidCall(config: unknown, values: unknown, callback: unknown): boolean {
  if (config === null || config === undefined) return true;
  const given = givenCallback(config, values, callback);
  return Boolean(given) && typeof given !== 'function';
}

/**
 * Tells when a Submittable is done: `handleReadyForQuery` or `handleError` is called exactly when pg stops considering it
 * active, for `pg.Query`, Cursor, QueryStream and COPY streams alike. The object itself stays the one that pg drives.
 *
 * @param when before or after the object's own handler, in which its users learn of it, and may give the client back
 */
export function hookCompletion(submittable: Submittable, when: 'before' | 'after', onSettled: Settled): void {
  const { handleReadyForQuery, handleError } = submittable;
  let timedOut = false;
  function around(settle: () => void, handle: () => unknown): unknown {
    if (when === 'before') settle();
    try {
      return handle();
    } finally {
      if (when === 'after') settle();
    }
  }
  if (handleReadyForQuery === undefined) {
    // A Query of the native bindings.
    submittable.once?.('_done', () => onSettled(undefined));
  } else {
    defineHidden(submittable, 'handleReadyForQuery', function (this: Submittable, ...args: unknown[]) {
      return around(
        () => onSettled(undefined),
        () => handleReadyForQuery.apply(this, args),
      );
    });
  }
  defineHidden(
    submittable,
    'handleError',
    function (this: Submittable, error: unknown, connection?: unknown) {
      // Its users have had their error; a second one, when the statement ends after all, would find nobody listening.
      if (timedOut) return undefined;
      timedOut = isQueryTimeout(error);
      return around(
        () => onSettled(error),
        () => handleError.call(this, error, connection),
      );
    },
  );
}

/** A `query_timeout` is told to a Submittable's callback first, and to its `handleError` on a later tick. */
function hookTimeout(submittable: Submittable, given: unknown, settled: Settled): void {
  const callback = submittable.callback ?? given;
  if (typeof callback !== 'function') return;
  // Where the driver puts the callback that it was given.
  submittable.callback = function (this: unknown, error, ...results) {
    if (isQueryTimeout(error)) settled(error);
    return callback.call(this, error, ...results);
  };
}

/** The promise form, made here so that our callback is the driver's own: one promise, as the driver would make. */
function promised(
  client: PgClient,
  behind: Pick<PgClient, 'query'>,
  config: unknown,
  values: unknown,
  observer: QueryObserver,
): unknown {
  const PromiseClass = promiseClass(client);
  let resolve!: (result: unknown) => void;
  let reject!: (error: unknown) => void;
  const promise = new PromiseClass<unknown>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  // Outside the promise's executor, so that what the driver throws synchronously stays synchronous.
  withCallback(client, behind, config, values, (error, result) => {
    observer.settled(error);
    if (error) reject(error);
    else resolve(result);
  });
  return withCallersStack(promise);
}

/** As pg and pg-pool do: the stack of a failure leads to the code that awaits it, not to the socket. */
export function withCallersStack<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error) => {
    Error.captureStackTrace(error);
    throw error;
  });
}

function withCallback(
  client: PgClient,
  behind: Pick<PgClient, 'query'>,
  config: unknown,
  values: unknown,
  callback: Callback,
): unknown {
  const result = behind.query.call(client, config, values, callback);
  // Older versions of pg write the callback into the caller's object, which may be used again.
  if (typeof config === 'object' && (config as { callback?: unknown }).callback === callback) {
    (config as { callback?: unknown }).callback = undefined;
  }
  return result;
}

function once(settled: Settled): Settled {
  let open = true;
  return (error) => {
    if (!open) return;
    open = false;
    settled(error);
  };
}
