import { defineHidden } from '../shared/patch-methods.js';
import { abortError } from './abort-error.js';
import { answerOnLoss } from './answer-on-loss.js';
import { hookCompletion } from './observe-query.js';
import type { Callback, PgPool, Release, Submittable } from './pg-internals.js';

/** What of a Submittable matters here: streams and cursors have more to them. */
interface StreamLike extends Submittable {
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  close?: (...args: unknown[]) => unknown;
  once?(event: string, listener: () => void): unknown;
  /** Of a QueryStream: what it reads from. */
  readonly cursor?: object;
  pipe?: unknown;
  /** Of a Cursor: reads that wait for it to be submitted. */
  _queue?: [rows: number, callback: Callback][];
  state?: string;
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
  const closedEarly = watchEarlyClose(stream);
  pool.connect((error, client, release) => {
    if (error || client === undefined) {
      // A pool that has ended answers at once; nobody listens to the stream yet.
      process.nextTick(() => {
        stream.handleError(error);
        done?.(error);
      });
      return;
    }
    if (closedEarly()) {
      release();
      answerQueuedReads(stream);
      done?.(undefined, stream);
      return;
    }
    const finish = finishOnce(client.release, done, stream);
    const onError = (connectionError: unknown) => finish(connectionError);
    client.once('error', onError);
    hookCompletion(stream, 'after', (failure) => {
      client.removeListener('error', onError);
      finish(failure);
    });
    answerOnLoss(stream.cursor ?? stream, client);
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

/** A cursor that was closed before it ran has no rows; reads that were queued on it would wait for ever. */
function answerQueuedReads(stream: StreamLike): void {
  const reads = stream._queue?.splice(0) ?? [];
  stream.state = 'done';
  for (const [, callback] of reads) callback(null, []);
}

/**
 * Tells whether a stream was destroyed, or a cursor closed, before it was submitted: submitting it then would hold the
 * client for ever. COPY streams are submitted all the same; they answer for themselves.
 */
function watchEarlyClose(stream: StreamLike): () => boolean {
  const { close, write } = stream;
  if (typeof write === 'function') return () => false;
  if (typeof close !== 'function') return () => stream.destroyed === true;
  let closed = false;
  defineHidden(stream, 'close', function (this: StreamLike, ...args: unknown[]) {
    closed = true;
    return close.apply(this, args);
  });
  return () => closed || stream.destroyed === true;
}
