import { abortError } from './abort-error.js';
import { CursorWatch, isCursor } from './cursor-watch.js';
import { hookCompletion } from './observe-query.js';
import type { Callback, PgPool, Release, Submittable } from './pg-internals.js';

/** What of a Submittable matters here: streams and cursors have more to them. */
interface StreamLike extends Submittable {
  readonly destroyed?: boolean;
  destroy?(error: unknown): unknown;
  readonly readableEnded?: boolean;
  close?: unknown;
  once?(event: string, listener: () => void): unknown;
  /** Of a QueryStream: what it reads from. */
  readonly cursor?: object;
  pipe?: unknown;
  write?: unknown;
  read?: unknown;
}

/**
 * Whether a Submittable holds its connection beyond one answer (Cursor, QueryStream, COPY), or brings a callback of its
 * own: then pg's `pool.query` would never learn of its end and lose the client.
 */
export function holdsConnection(submittable: Submittable): boolean {
  const { read, write, pipe, close, callback } = submittable as StreamLike;
  return (
    [read, write, pipe, close].some((method) => typeof method === 'function') ||
    typeof callback === 'function'
  );
}

/**
 * `pool.query(submittable)`: checks a client out, runs the Submittable on it and gives the client back when it is done,
 * destroyed or failed. Returns the same object, as pg's types say; it can be read, piped or listened to at once.
 *
 * @param callback called when it is done
 */
export function runStream(
  pool: PgPool,
  submittable: Submittable,
  values: unknown,
  callback: unknown,
): Submittable {
  const done = typeof callback === 'function' ? (callback as Callback) : undefined;
  const stream = submittable as StreamLike;
  // COPY streams answer for themselves.
  const cursor = stream.cursor ?? stream;
  const watch = isCursor(cursor) ? new CursorWatch(cursor) : undefined;
  pool.connect((error, client, release) => {
    if (error || client === undefined) {
      // A pool that has ended answers at once; nobody listens to the stream yet.
      process.nextTick(() => {
        stream.handleError(error);
        // It would tell nobody before it is read.
        if (stream.cursor !== undefined) stream.destroy?.(error);
        done?.(error);
      });
      return;
    }
    // Destroyed, or closed, before it was submitted: submitting it now would hold the client for ever.
    if (watch?.closedUnread || (stream.destroyed && typeof stream.write !== 'function')) {
      release();
      watch?.fail(undefined);
      done?.(undefined, stream);
      return;
    }
    const finish = finishOnce(client.release, done, stream);
    const onError = (connectionError: unknown) => finish(connectionError);
    client.once('error', onError);
    watch?.attach(client);
    hookCompletion(stream, 'after', (failure) => {
      client.removeListener('error', onError);
      // Whatever the cursor itself has left without an answer, and what is asked later, gets the first error.
      if (failure) watch?.fail(failure);
      else watch?.detach();
      finish(failure);
    });
    // A consumer that goes away: those that don't tell the server themselves (COPY TO) would hold the client for ever.
    stream.once?.('close', () => {
      if (stream.readableEnded === false) finish(abortError('the stream was closed before its end'));
    });
    try {
      client.query(stream, typeof values === 'function' ? undefined : values);
    } catch (thrown) {
      finish(thrown);
      stream.handleError(thrown);
    }
  });
  return submittable;
}

function finishOnce(release: Release, callback: Callback | undefined, stream: StreamLike): Callback {
  let open = true;
  return (error) => {
    if (!open) return;
    open = false;
    release(error);
    callback?.(error, stream);
  };
}
