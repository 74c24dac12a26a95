import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject, test } from 'vitest';
import { expectTheSame, fate, type Probe } from './bare-and-limited.js';

const { url } = inject('postgres');

class ClientThatThrows extends pg.Client {
  constructor() {
    super();
    throw new Error('no client today');
  }
}

/** As instrumentations do: `connect` is called after the query method has returned. */
class PoolWithAsyncQuery extends pg.Pool {
  override async query(...args: unknown[]): Promise<never> {
    await null;
    return super.query(...(args as [string])) as Promise<never>;
  }
}

class OwnPromise<T> extends Promise<T> {}

const held = async (pool: pg.Pool, look: (client: pg.PoolClient) => unknown): Promise<unknown> => {
  const client = await pool.connect();
  try {
    return await look(client);
  } finally {
    client.release();
  }
};

const asFunction = (value: unknown) => value as (...args: unknown[]) => unknown;

const probes: readonly Probe[] = [
  {
    behaviour: 'a Client constructor that throws: connect and query throw synchronously',
    config: { Client: ClientThatThrows as never },
    look: async (pool) => [
      await fate(() => pool.connect()),
      await fate(() => pool.query('select 1')),
      await fate(() => pool.connect(() => {})),
    ],
    record: Array(3).fill('throws no client today'),
  },
  {
    behaviour: 'a subclass whose query is asynchronous answers five queries',
    Pool: PoolWithAsyncQuery,
    look: async (pool) => {
      const results = await Promise.all([1, 2, 3, 4, 5].map((n) => pool.query(`select ${n} as n`)));
      return results.map(({ rows }) => rows[0].n);
    },
    record: [1, 2, 3, 4, 5],
  },
  {
    behaviour: 'the stack of a failed connect leads to its caller',
    config: { connectionString: 'postgres://nobody@127.0.0.1:1/none' },
    look: async (pool) => {
      const theCaller = async () => await pool.connect();
      return theCaller().catch((error: Error) => error.stack!.includes('theCaller'));
    },
    record: true,
  },
  {
    behaviour: 'the stack of a failed query leads to its caller',
    look: async (pool) => {
      const theCaller = async () => await pool.query('selec 1');
      return theCaller().catch((error: Error) => error.stack!.includes('theCaller'));
    },
    record: true,
  },
  {
    behaviour: 'the stack of a failed query on a client leads to its caller',
    look: (pool) =>
      held(pool, (client) => {
        const theCaller = async () => await client.query('selec 1');
        return theCaller().catch((error: Error) => error.stack!.includes('theCaller'));
      }),
    record: true,
  },
  {
    behaviour: "results are of the pool's own promise class",
    config: { Promise: OwnPromise },
    look: async (pool) => {
      const query = pool.query('select 1');
      const connecting = pool.connect();
      const client = await connecting;
      const clientQuery = client.query('select 1');
      await Promise.all([query, clientQuery]);
      client.release();
      const ending = pool.end();
      await ending;
      return [query, connecting, clientQuery, ending].map((promise) => promise instanceof OwnPromise);
    },
    record: [true, true, true, true],
  },
  {
    behaviour: 'no method shows in the loops of those who look, and each has its name and length',
    look: async (pool) => [
      Object.keys(pool).filter((key) => ['connect', 'query', 'end', 'limiter'].includes(key)),
      [pool.connect, pool.query, pool.end].map(({ name, length }) => `${name}/${length}`),
    ],
    record: [[], ['connect/1', 'query/3', 'end/1']],
  },
  {
    behaviour: 'the pool and its clients have no listeners but the usual ones',
    look: async (pool) => {
      const client = await pool.connect();
      const names = [pool.eventNames(), client.eventNames()];
      client.release();
      return [...names, client.eventNames()];
    },
    record: [['error'], [], ['error']],
  },
  {
    behaviour: 'there are no symbols on a client, and its methods do not show',
    look: (pool) =>
      held(pool, (client) => [
        Object.getOwnPropertySymbols(client)
          .filter((symbol) => symbol.description !== 'shapeMode')
          .map(String),
        Object.keys(client).includes('query'),
        `${client.query.name}/${client.query.length}`,
      ]),
    record: [['Symbol(kCapture)'], false, 'query/3'],
  },
  {
    behaviour: 'calls without their object fail',
    look: async ({ query, connect }) => [
      (await fate(() => query('select 1'))).slice(0, 13),
      (await fate(() => connect())).slice(0, 13),
    ],
    record: ['throws Cannot', 'throws Cannot'],
  },
  {
    behaviour: 'arguments that are none are the driver’s business',
    look: async (pool) => {
      const query = asFunction(pool.query).bind(pool);
      const ofPool = [await fate(() => query(null)), await fate(() => query(() => {}))];
      const ofClient = await held(pool, async (client) => {
        const clientQuery = asFunction(client.query).bind(client);
        return [
          await fate(() => clientQuery(null)),
          await fate(() => clientQuery('select 1', [], 'not a function')),
          await fate(() => clientQuery({ text: 1 })),
        ];
      });
      return [...ofPool, ...(ofClient as string[])];
    },
    record: [
      'rejects with Client was passed a null or undefined query',
      'returns undefined',
      'throws Client was passed a null or undefined query',
      'throws callback is not a function',
      'rejects with A query must have either text or a name. Supplying neither is unsupported.',
    ],
  },
  {
    behaviour: 'a callback in the config is called on a client, and not on a pool',
    look: async (pool) => {
      const called: string[] = [];
      const config = (name: string) => ({ text: 'select 1', callback: () => called.push(name) }) as never;
      const ofPool = await fate(() => pool.query(config('pool')));
      const ofClient = await held(pool, async (client) => {
        const returned = await fate(() => client.query(config('client')));
        await client.query('select 1');
        return returned;
      });
      return [ofPool, ofClient, called];
    },
    record: ['resolves', 'returns undefined', ['client']],
  },
  {
    behaviour: 'a config may be used again: nothing is written into it',
    look: async (pool) => {
      const config = { text: 'select 1' };
      await pool.query(config);
      await held(pool, (client) => client.query(config));
      return Object.keys(config);
    },
    record: ['text'],
  },
  {
    behaviour: 'a failed query that nobody waits for is an unhandled rejection',
    look: async (pool) => {
      const before = process.listeners('unhandledRejection');
      process.removeAllListeners('unhandledRejection');
      const unhandled: string[] = [];
      process.on('unhandledRejection', (error: Error) => unhandled.push(error.message));
      void pool.query('selec 1');
      const client = await pool.connect();
      void client.query('selec 2');
      await client.query('select 1');
      client.release();
      // Time for one too many.
      await sleep(30);
      process.removeAllListeners('unhandledRejection');
      for (const listener of before) process.on('unhandledRejection', listener);
      return unhandled.length;
    },
    record: 2,
  },
  {
    behaviour: 'a checkout that waits too long is told so, and the pool goes on',
    config: { max: 1, connectionTimeoutMillis: 500 },
    look: async (pool) => {
      const late = await held(pool, () => fate(() => pool.connect()));
      return [late, pool.waitingCount, (await pool.query('select 1')).rowCount];
    },
    record: ['rejects with timeout exceeded when trying to connect', 0, 1],
  },
];

test.each(probes.map((probe) => [probe.behaviour, probe] as const))('bare and limited: %s', (_, probe) =>
  expectTheSame(url, probe),
);
