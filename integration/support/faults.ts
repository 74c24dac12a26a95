import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Where a backend stands: in `pg_sleep`, or waiting for its client to say, or to take, something. */
export type BackendPlace = 'PgSleep' | 'ClientRead' | 'ClientWrite';

/**
 * What the operator of a server can see and do, over a connection of its own that no limiter knows of.
 * Backends are named by their `application_name`.
 */
export interface Operator extends AsyncDisposable {
  /** Any number of statements without an answer. */
  execute(sql: string): Promise<void>;
  /** The first column of the answer. */
  column<T>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** How many backends run a statement now. */
  active(name: string): Promise<number>;
  /** No backend runs a statement any more; one that was told to stop may need a moment, of 100 ms at most. */
  untilStopped(name: string): Promise<void>;
  /** Waits until a backend has come to one of these places. */
  untilAt(name: string, ...places: readonly BackendPlace[]): Promise<void>;
  terminate(name: string): Promise<void>;
  /** Cancels the statement that a backend runs. */
  cancel(name: string): Promise<void>;
}

export async function openOperator(connectionString: string): Promise<Operator> {
  const client = new pg.Client({ connectionString, application_name: 'floodgate-operator' });
  client.on('error', () => {});
  await client.connect();
  // One query at a time: tests look at several things at once.
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(query: () => Promise<T>): Promise<T> {
    const result = last.then(query);
    last = result.catch(() => {});
    return result;
  }

  function column<T>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return inTurn(async () => {
      const { rows } = await client.query<T[]>({ text, values: [...values], rowMode: 'array' });
      return rows.map((row) => row[0]!);
    });
  }

  async function active(name: string): Promise<number> {
    const [backends] = await column<number>(
      `select count(*)::int from pg_stat_activity where application_name = $1 and state = 'active'`,
      [name],
    );
    return backends!;
  }

  return {
    execute: (sql) => inTurn(async () => void (await client.query(sql))),
    column,
    active,
    untilStopped: (name) =>
      until(`no backend of ${name} is active`, async () => (await active(name)) === 0, 100),
    async untilAt(name, ...places) {
      await until(`a backend of ${name} is at ${places.join(' or ')}`, async () => {
        const pids = await column(
          'select pid from pg_stat_activity where application_name = $1 and wait_event = any ($2)',
          [name, places],
        );
        return pids.length > 0;
      });
    },
    async terminate(name) {
      await column('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
        name,
      ]);
    },
    async cancel(name) {
      await column('select pg_cancel_backend(pid) from pg_stat_activity where application_name = $1', [name]);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Asks every few milliseconds. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadlineMs = 5_000,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > deadline)
      throw new Error(`${deadlineMs} ms have passed, and still it is not so that ${what}`);
    await sleep(5);
  }
}
