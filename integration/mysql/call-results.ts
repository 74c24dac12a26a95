import type { Query, QueryError } from 'mysql2';

/** Makes a call. What it throws at once becomes another error: no form of call is to be told of anything that way. */
export function issue<T>(call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw new Error('the call threw synchronously', { cause });
  }
}

type AnyCallback = (error: QueryError | null, result?: unknown) => void;

/** What a callback is given, which must be once and on a later tick. */
export function calledBack(call: (callback: AnyCallback) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let returned = false;
    let calls = 0;
    issue(() =>
      call((error, result) => {
        calls++;
        if (!returned) reject(new Error('called back before the call returned', { cause: error }));
        else if (calls > 1) throw new Error('called back twice', { cause: error });
        else if (error) reject(error);
        else resolve(result);
      }),
    );
    returned = true;
  });
}

/** The number of rows that come as events; rejects on `'error'`. */
export function countEvents(query: Query): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0;
    query.on('error', reject);
    query.on('result', () => rows++);
    query.on('end', () => resolve(rows));
  });
}

export function rowCount(result: unknown): number {
  return Array.isArray(result) ? result.length : 0;
}
