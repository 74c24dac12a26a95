import pg from 'pg';
import copy from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { until } from '../support/faults.js';
import { calledBack, issue, lineCount, rowsOf, untilEvent } from './call-results.js';
import type { Work } from './work.js';

/** A pool, a client of a pool or a standalone one. */
export interface Target {
  query: pg.ClientBase['query'];
  /** Its connection is of no more use; its holder sees to that it goes. */
  breakOff(): void;
  /** Of a client that is held. */
  readonly client?: pg.PoolClient;
}

/** One way to write a call, waited for as its users would. */
export interface Body {
  readonly name: string;
  /** Where the driver itself, bare or not, tells its user something else than the error. */
  readonly hears?: { readonly queryTimeout?: RegExp; readonly lostConnection?: RegExp };
  /** Resolves with the number of rows; rejects with the error, however the call tells it. */
  readonly run: (target: Target, work: Work) => Promise<number>;
  /** Takes the first row, or writes one, and goes away. */
  readonly leaveEarly?: (target: Target, work: Work) => Promise<number>;
  /** How that is counted: the server answers a closed portal; it is cut off in a COPY. */
  readonly leftEarly?: 'succeeded' | 'ignored';
}

export const promise: Body = {
  name: 'query(text)',
  run: (target, { sql }) => rowsOf(() => target.query(sql)),
};

export const queries: readonly Body[] = [
  promise,
  {
    name: 'query(text, callback)',
    run: (target, { sql }) => calledBack((callback) => target.query(sql, callback)),
  },
  {
    name: 'query(config)',
    run: (target, { sql }) => rowsOf(() => target.query({ text: sql, values: [] })),
  },
  {
    name: 'query(config, values, callback)',
    run: (target, { sql }) => calledBack((callback) => target.query({ text: sql } as never, [], callback)),
  },
  {
    name: "query({ rowMode: 'array' })",
    run: (target, { sql }) => rowsOf(() => target.query({ text: sql, rowMode: 'array' })),
  },
  {
    name: 'query({ name })',
    run: (target, { sql }) => rowsOf(() => target.query({ text: sql, name: 'a statement' })),
  },
];

export const transaction: Body = {
  name: 'begin, query, commit',
  async run(target, { sql }) {
    await rowsOf(() => target.query('begin'));
    try {
      const rows = await rowsOf(() => target.query(sql));
      await rowsOf(() => target.query('commit'));
      return rows;
    } catch (error) {
      await target.query('rollback').catch(() => target.breakOff());
      throw error;
    }
  },
};

/** A pool gives the object a callback of its own, and answers by a promise. */
export const queryObjectOfPool: Body = {
  name: 'query(new Query(text))',
  run: (pool, { sql }) => rowsOf(() => pool.query(new pg.Query(sql)) as unknown as Promise<pg.QueryResult>),
};

export const queryObjectOfClient: Body = {
  name: 'query(new Query(text))',
  // Its callback is taken away when the timer fires, and with it the way to an 'error' event.
  hears: { queryTimeout: /^1 row$/ },
  async run(client, { sql }) {
    const query = issue(() => client.query(new pg.Query(sql)));
    let rows = 0;
    query.on('row', () => rows++);
    await untilEvent(query, 'end');
    return rows;
  },
};

export const cursor: Body = {
  name: 'query(new Cursor(text))',
  async run(target, { sql }) {
    const reader = issue(() => target.query(new Cursor(sql)));
    let rows = 0;
    for (;;) {
      const { length } = await reader.read(2);
      if (length === 0) return rows;
      rows += length;
    }
  },
  leftEarly: 'succeeded',
  async leaveEarly(target, { sql }) {
    const reader = issue(() => target.query(new Cursor(sql)));
    const { length } = await reader.read(1);
    await reader.close();
    return length;
  },
};

export const queryStream: Body = {
  name: 'query(new QueryStream(text))',
  async run(target, { sql }) {
    let rows = 0;
    for await (const _ of issue(() => target.query(new QueryStream(sql)))) rows++;
    return rows;
  },
  leftEarly: 'succeeded',
  async leaveEarly(target, { sql }) {
    // Leaving the loop destroys the stream.
    for await (const _ of issue(() => target.query(new QueryStream(sql)))) return 1;
    return 0;
  },
};

export const copyTo: Body = {
  name: 'query(copy.to(text))',
  run: (target, { sql }) => lineCount(issue(() => target.query(copy.to(`copy (${sql}) to stdout`)))),
  leftEarly: 'ignored',
  async leaveEarly(target, { sql }) {
    for await (const _ of issue(() => target.query(copy.to(`copy (${sql}) to stdout`)))) {
      // The rest of the rows is on its way, and nobody takes it off.
      target.breakOff();
      return 1;
    }
    return 0;
  },
};

export const copyFrom: Body = {
  name: 'query(copy.from(text))',
  async run(target, work) {
    const stream = issue(() => target.query(copy.from(work.copyFrom.sql)));
    stream.end(work.copyFrom.data);
    await untilEvent(stream, 'finish');
    return stream.rowCount;
  },
  leftEarly: 'ignored',
  async leaveEarly(target, work) {
    const stream = issue(() => target.query(copy.from(work.copyFrom.sql)));
    stream.write(work.copyFrom.data);
    stream.destroy();
    await untilEvent(stream, 'close').catch(() => {});
    return 1;
  },
};

export const queryObjectWithCallback: Body = {
  name: 'query(new Query(text, callback))',
  run: (target, { sql }) =>
    calledBack((callback) => {
      issue(() => target.query(new pg.Query(sql, callback as never)));
    }),
};

/** What a client of a `pipeline: true` pool is for. */
export const threeAtOnce: Body = {
  name: 'three queries at once',
  // pg drops the connection, which the holder may hear first.
  hears: { queryTimeout: /^(Query read timeout|Connection terminated unexpectedly)$/ },
  async run(target, work) {
    const answers = await Promise.allSettled([1, 2, 3].map(() => promise.run(target, work)));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return Math.min(...answers.map((answer) => (answer as PromiseFulfilledResult<number>).value));
  },
};

export const listen: Body = {
  name: 'listen, query, and a notification for each row',
  async run({ client, query }, { sql }) {
    let heard = 0;
    client?.on('notification', () => heard++);
    await rowsOf(() => query('listen floodgate'));
    const rows = await rowsOf(() => query(sql));
    await rowsOf(() => query(`select pg_notify('floodgate', n::text) from generate_series(1, ${rows}) as n`));
    await until(`${rows} notifications have come`, () => heard === rows);
    return heard;
  },
};
