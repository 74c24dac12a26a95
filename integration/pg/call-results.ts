import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** Makes a call. What it throws at once becomes another error: no form of call is to be told of anything that way. */
export function issue<T>(call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw new Error('the call threw synchronously', { cause });
  }
}

/** The number of rows that a promise brings. */
export async function rowsOf(call: () => Promise<pg.QueryResult | pg.QueryArrayResult>): Promise<number> {
  const { rows } = await issue(call);
  return rows.length;
}

type QueryCallback = (error: Error, result: pg.QueryResult) => void;

/** The number of rows that a callback is given, which must be on a later tick. */
export function calledBack(call: (callback: QueryCallback) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let returned = false;
    const result: unknown = issue(() =>
      call((error, answer) => {
        if (!returned) reject(new Error('called back before the call returned', { cause: error }));
        else if (error) reject(error);
        else resolve(answer.rows.length);
      }),
    );
    returned = true;
    if (result !== undefined) reject(new Error('a call with a callback returned something'));
  });
}

/** Waits for an event; rejects on `'error'`. */
export async function untilEvent(emitter: NodeJS.EventEmitter, event: string): Promise<void> {
  await once(emitter, event);
}

/** The number of lines that a stream gives. */
export async function lineCount(stream: Readable): Promise<number> {
  let lines = 0;
  for await (const chunk of stream) lines += String(chunk).split('\n').length - 1;
  return lines;
}

/** What the user of a call has been told by now: an error's message, a number of rows, nothing. */
export async function heard(call: Promise<number>): Promise<string> {
  const answer = call.then(
    (rows) => (rows === 1 ? '1 row' : `${rows} rows`),
    (error: Error) => error.message,
  );
  return Promise.race([answer, sleep(20, 'nothing')]);
}

/** The server's last words, or what the connection says of its end: whichever a call is told first. */
export const LOST_CONNECTION =
  /^(terminating connection due to administrator command|Connection terminated unexpectedly|read ECONNRESET|write EPIPE)$/;
