import type { Connection, Pool, PoolConnection, PrepareStatementInfo } from 'mysql2';
import { calledBack, countEvents, issue, rowCount } from './call-results.js';
import type { Work } from './work.js';

/** A pool, a namespace of a cluster, a connection of a pool or a standalone one: their `query` is the same. */
export type Queryable = Pick<Pool, 'query' | 'execute'>;

/** One way to write a call, waited for as its users would. */
export interface Body<T = Queryable> {
  readonly name: string;
  /** Resolves with the number of rows; rejects with the error, however the call tells it. */
  readonly run: (target: T, work: Work) => Promise<number>;
  /** Takes the first row, and goes away. */
  readonly leaveEarly?: (target: T, work: Work) => Promise<number>;
  /** Rows come as events: if the connection is lost, mysql2 tells nobody (sidorares/node-mysql2#3082). */
  readonly events?: boolean;
  /** mysql2 takes no timeout there. */
  readonly untimed?: boolean;
}

export const query: Body = {
  name: 'query(options, callback)',
  run: async (target, work) => rowCount(await calledBack((callback) => target.query({ ...work }, callback))),
};

export const events: Body = {
  name: 'query(options), events',
  events: true,
  run: (target, work) => countEvents(issue(() => target.query({ ...work }))),
};

export const stream: Body = {
  name: 'query(options).stream()',
  events: true,
  async run(target, work) {
    let rows = 0;
    for await (const _ of issue(() => target.query({ ...work }).stream())) rows++;
    return rows;
  },
  async leaveEarly(target, work) {
    // Leaving the loop destroys the stream.
    for await (const _ of issue(() => target.query({ ...work }).stream())) return 1;
    return 0;
  },
};

export const bodies: readonly Body[] = [
  query,
  {
    name: 'query(sql, callback)',
    untimed: true,
    run: async (target, { sql }) => rowCount(await calledBack((callback) => target.query(sql, callback))),
  },
  {
    name: 'query(sql, values, callback)',
    untimed: true,
    run: async (target, { sql }) =>
      rowCount(await calledBack((callback) => target.query(`${sql} -- ?`, ['a value'], callback))),
  },
  {
    name: 'query with named placeholders',
    run: async (target, { sql, ...rest }) =>
      rowCount(
        await calledBack((callback) =>
          target.query(
            { sql: `${sql} /* :name */`, namedPlaceholders: true, values: { name: 'a value' }, ...rest },
            callback,
          ),
        ),
      ),
  },
  {
    name: 'query with two result sets',
    async run(target, { sql, ...rest }) {
      const results = await calledBack((callback) =>
        target.query({ sql: `${sql}; select 2`, ...rest }, callback),
      );
      return rowCount((results as unknown[])[0]);
    },
  },
  {
    name: 'execute(options, callback)',
    run: async (target, work) =>
      rowCount(await calledBack((callback) => target.execute({ ...work }, callback))),
  },
  {
    name: 'execute(sql, values, callback)',
    untimed: true,
    run: async (target, { sql }) =>
      rowCount(await calledBack((callback) => target.execute(sql, [], callback))),
  },
  events,
  stream,
];

/** What `promise()` gives. */
type Promising = Pick<Pool, 'promise'> | Pick<Connection, 'promise'>;

export const promiseQuery: Body<Promising> = {
  name: 'promise().query(options)',
  run: async (target, work) => rowCount((await issue(() => target.promise().query({ ...work })))[0]),
};

export const promises: readonly Body<Promising>[] = [
  promiseQuery,
  {
    name: 'promise().execute(options)',
    run: async (target, work) => rowCount((await issue(() => target.promise().execute({ ...work })))[0]),
  },
];

export const transaction: Body<Connection> = {
  name: 'begin, query, commit',
  async run(target, work) {
    const connection = target.promise();
    await issue(() => connection.beginTransaction());
    try {
      const [result] = await connection.query({ ...work });
      await connection.commit();
      return rowCount(result);
    } catch (error) {
      // On a connection that is gone, it fails too, and says nothing new.
      await connection.rollback().catch(() => {});
      throw error;
    }
  },
};

/** Only a connection has these. */
export const connectionBodies: readonly Body<Connection>[] = [
  transaction,
  {
    name: 'prepare, execute, close',
    untimed: true,
    async run(target, { sql }) {
      const statement = (await calledBack((callback) =>
        target.prepare(sql, callback as never),
      )) as PrepareStatementInfo;
      try {
        return rowCount(await calledBack((callback) => statement.execute([], callback as never)));
      } finally {
        statement.close();
      }
    },
  },
  {
    name: 'ping, then query',
    async run(target, work) {
      await calledBack((callback) => target.ping(callback));
      return query.run(target, work);
    },
  },
  {
    name: 'changeUser, then query',
    async run(target, work) {
      await calledBack((callback) => target.changeUser({}, callback));
      return query.run(target, work);
    },
  },
  {
    name: 'reset, then query',
    async run(target, work) {
      await calledBack((callback) => target.reset(callback));
      return query.run(target, work);
    },
  },
  {
    name: 'execute(options), events',
    events: true,
    run: (target, work) => countEvents(issue(() => target.execute({ ...work }))),
  },
];

/** How a connection of a pool goes back. */
export const waysBack: Readonly<Record<string, (connection: PoolConnection) => void>> = {
  'release()': (connection) => connection.release(),
  'Symbol.dispose': (connection) => connection[Symbol.dispose](),
  'promise().release()': (connection) => connection.promise().release(),
  'destroy()': (connection) => connection.destroy(),
};
