import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';

/**
 * What the operator of a server can see and do, over a connection of its own that no limiter knows of. The connections of
 * one test are recognised by their database.
 */
export interface Operator extends AsyncDisposable {
  execute(sql: string): Promise<void>;
  /** The first column of the answer. */
  column<T>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** A database of this name, with the tables that tests work on. */
  createDatabase(name: string): Promise<void>;
  connectionIds(name: string): Promise<number[]>;
  /** How many connections there are. */
  connections(name: string): Promise<number>;
  /** How many run a statement now. */
  running(name: string): Promise<number>;
  /** Waits until this many run a statement. */
  untilRunning(name: string, count?: number): Promise<void>;
  /** Ends the connections. */
  kill(name: string): Promise<void>;
  /** Ends what they run. */
  killQueries(name: string): Promise<void>;
}

export async function openOperator(uri: string): Promise<Operator> {
  const connection = await mysql.createConnection({ uri, multipleStatements: true });
  connection.on('error', () => {});

  async function column<T>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    const [rows] = await connection.query<mysql.RowDataPacket[][]>({
      sql,
      values: [...values],
      rowsAsArray: true,
    });
    return rows.map((row) => row[0] as T);
  }

  const ids = (name: string, where = 'true') =>
    column<number>(`select id from information_schema.processlist where db = ? and ${where}`, [name]);
  const killAll = async (what: 'connection' | 'query', name: string) => {
    // One may end by itself in the meantime.
    for (const id of await ids(name)) await connection.query(`kill ${what} ${id}`).catch(() => {});
  };
  const running = async (name: string) => (await ids(name, RUNNING)).length;

  return {
    execute: async (sql) => void (await connection.query(sql)),
    column,
    async createDatabase(name) {
      await connection.query(`
        create database ${name};
        create table ${name}.numbers (n int primary key) engine = innodb;
        insert into ${name}.numbers values (1), (2), (3);
        create table ${name}.marks (n int) engine = innodb`);
    },
    connectionIds: (name) => ids(name, 'true order by id'),
    connections: async (name) => (await ids(name)).length,
    running,
    untilRunning: (name, count = 1) =>
      until(`${count} statements of ${name} run`, async () => (await running(name)) >= count),
    kill: (name) => killAll('connection', name),
    killQueries: (name) => killAll('query', name),
    async [Symbol.asyncDispose]() {
      connection.destroy();
    },
  };
}

const RUNNING = "command in ('Query', 'Execute') and info is not null";

/** Asks every few milliseconds, for at most five seconds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`5 s have passed, and still it is not so that ${what}`);
    await sleep(5);
  }
}
