import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { inject, test } from 'vitest';
import { expectTheSame, fate, type Probe } from './bare-and-limited.js';

const { url } = inject('postgres');

/** Two connections, one of them out. */
async function withOneOut(pool: pg.Pool): Promise<pg.PoolClient> {
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  clients[1].release();
  return clients[0];
}

const probes: readonly Probe[] = [
  {
    behaviour:
      'end while a client is out: ending at once, idle connections closed at once, ended when it is back',
    look: async (pool) => {
      const client = await withOneOut(pool);
      const before = [pool.totalCount, pool.idleCount];
      const ended = pool.end();
      const during = [pool.totalCount, pool.idleCount, pool.ending, pool.ended];
      await client.query('select 1');
      client.release();
      await ended;
      return [before, during, pool.ended, pool.totalCount];
    },
    record: [[2, 1], [1, 0, true, false], true, 0],
  },
  {
    behaviour: 'a second end: rejects, calls back synchronously',
    look: async (pool) => {
      const client = await withOneOut(pool);
      const ended = pool.end();
      const second = await fate(() => pool.end());
      let called = 'later';
      let synchronous = true;
      const returned = await fate(() =>
        pool.end(((error: Error) => {
          called = `${synchronous ? 'now' : 'later'}: ${error.message}`;
        }) as never),
      );
      synchronous = false;
      client.release();
      await ended;
      return [second, returned, called];
    },
    record: [
      'rejects with Called end on pool more than once',
      'returns undefined',
      'now: Called end on pool more than once',
    ],
  },
  {
    behaviour: 'connect and query after end: reject, call back synchronously',
    look: async (pool) => {
      await pool.end();
      const calls: string[] = [];
      const note = (error: Error | undefined) => {
        calls.push(error?.message ?? 'no error');
      };
      const returned = [await fate(() => pool.connect(note)), await fate(() => pool.query('select 1', note))];
      return [await fate(() => pool.connect()), await fate(() => pool.query('select 1')), returned, calls];
    },
    record: [
      'rejects with Cannot use a pool after calling end on the pool',
      'rejects with Cannot use a pool after calling end on the pool',
      ['returns undefined', 'returns undefined'],
      Array(2).fill('Cannot use a pool after calling end on the pool'),
    ],
  },
  {
    behaviour: 'end with a callback: returns nothing, calls back when all is closed',
    look: async (pool) => {
      await pool.query('select 1');
      let returned: unknown = 'something';
      const left = await new Promise((resolve) => {
        returned = pool.end(() => resolve(pool.totalCount));
      });
      return [returned, left];
    },
    record: [undefined, 0],
  },
  {
    behaviour: 'a query that waits for a connection when the pool ends: never answered bare, served limited',
    config: { max: 1 },
    look: async (pool) => {
      const client = await pool.connect();
      const waiting = fate(() => pool.query('select 1'));
      const ended = pool.end();
      client.release();
      await ended;
      return Promise.race([waiting, sleep(100, 'nothing')]);
    },
    record: 'nothing',
    limited: 'resolves',
  },
];

test.each(probes.map((probe) => [probe.behaviour, probe] as const))('bare and limited: %s', (_, probe) =>
  expectTheSame(url, probe),
);
