import { defineHidden } from '../shared/patch-methods.js';
import type { Callback, PgClient } from './pg-internals.js';

/**
 * Makes the reads and the close of a cursor answer when its connection is lost. pg-cursor leaves both without an answer if
 * that happens while it waits for the server to be ready, and a QueryStream tells of no error before its cursor is closed:
 * the holder of a client hears of the loss from the client, but whoever called `pool.query` has only the stream.
 */
export function answerOnLoss(cursor: object, client: PgClient): void {
  const { read, close } = cursor as { read?: unknown; close?: unknown };
  if (typeof read !== 'function' || typeof close !== 'function') return;
  const unanswered = new Set<Callback>();
  const onEnd = () => {
    for (const answer of [...unanswered]) answer(new Error('Connection terminated unexpectedly'));
  };

  /** One answer: the cursor's, or that of the connection's end. */
  function ask(callback: Callback, question: (answer: Callback) => void): void {
    const answer: Callback = (...results) => {
      if (!unanswered.delete(answer)) return;
      if (unanswered.size === 0) client.removeListener('end', onEnd);
      callback(...results);
    };
    if (unanswered.size === 0) client.once('end', onEnd);
    unanswered.add(answer);
    if (client.connection?.stream.destroyed) setImmediate(onEnd);
    question(answer);
  }

  defineHidden(cursor, 'read', (rows: number, callback?: Callback) =>
    withCallback(callback, (given) => ask(given, (answer) => read.call(cursor, rows, answer))),
  );
  defineHidden(cursor, 'close', (callback?: Callback) =>
    withCallback(callback, (given) =>
      // A connection that is gone is as closed as can be.
      ask(
        () => given(),
        (answer) => close.call(cursor, answer),
      ),
    ),
  );
}

/** Both forms of pg-cursor's methods: a promise without a callback. */
function withCallback(callback: Callback | undefined, run: (callback: Callback) => void): unknown {
  if (callback) return run(callback);
  return new Promise((resolve, reject) => {
    run((error, result) => (error ? reject(error) : resolve(result)));
  });
}
