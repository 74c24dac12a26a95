import { createRequire } from 'node:module';
import { findBackpressureError } from 'floodgate';
import { limitClientClass } from 'floodgate/pg';
import knexFor, { type Knex } from 'knex';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { openOperator } from '../support/faults.js';
import { uniqueName } from '../support/pool-under-test.js';
import { atLimitOne } from './support/at-limit-one.js';
import { countListeners } from './support/count-listeners.js';
import { recordUnhandledRejections } from './support/unhandled-rejections.js';

const { url } = inject('postgres');
type ClientClass = new (config?: string | pg.ClientConfig) => pg.Client;
type Dialect = typeof Knex.Client;
const PostgresDialect = createRequire(import.meta.url)('knex/lib/dialects/postgres') as Dialect;

/** knex with a pool of its own, whose connections are clients of this class. */
function knexOf(Client: ClientClass, config: Knex.Config = {}) {
  class LimitedDialect extends PostgresDialect {
    _driver() {
      return { ...pg, Client };
    }
  }
  const name = uniqueName();
  const knex = knexFor({
    client: LimitedDialect,
    connection: { connectionString: url, application_name: name },
    pool: { min: 0, max: 5 },
    log: { warn: () => {} },
    ...config,
  });
  onTestFinished(() => knex.destroy());
  return { knex, name };
}

const pidOf = async (db: Knex) => (await db.raw('select pg_backend_pid() as pid')).rows[0].pid as number;
const series = (knex: Knex) => knex.select(knex.raw('generate_series(1, 500) as n'));

async function exercise(knex: Knex) {
  const rows = await knex.select(knex.raw('?::int as n', [7]));
  const pids = await knex.transaction(async (trx) => [
    await pidOf(trx),
    await trx.transaction((inner) => pidOf(inner)),
    await pidOf(trx),
  ]);
  const failed = await knex
    .transaction((trx) => trx.raw('select 1 / 0'))
    .catch((error: pg.DatabaseError) => error.code);
  let all = 0;
  for await (const { n } of series(knex).stream()) all += n;
  let first = 0;
  for await (const _ of series(knex).stream()) if (++first === 3) break;
  const connection = (await knex.client.acquireConnection()) as pg.Client;
  const listeners = countListeners(connection);
  await knex.client.releaseConnection(connection);
  return { rows, connections: new Set(pids).size, failed, all, first, listeners };
}

/** A call that comes while every permit is taken and knex has no connection yet. */
async function firstCallAtFullLimit(config: Knex.Config) {
  await using operator = await openOperator(url);
  const Client = limitClientClass(pg.Client, { maxConcurrentOps: 1 });
  const { knex, name } = knexOf(Client, config);
  const permit = Client.limiter.acquire();
  const errors = await Promise.all([1, 2, 3].map(async () => knex.raw('select 1').catch((error) => error)));
  expect(errors.map((error) => findBackpressureError(error)?.reason)).toEqual(['limit', 'limit', 'limit']);
  permit.release();
  expect((await knex.raw('select 1 as up')).rows).toEqual([{ up: 1 }]);
  await knex.destroy();
  const left = 'select pid from pg_stat_activity where application_name = $1';
  await expect.poll(() => operator.column(left, [name]), { timeout: 1_000 }).toEqual([]);
}

describe("knex with `limitClientClass(pg.Client)` as its driver's Client", () => {
  test('queries, transactions and streams as with the bare class', async () => {
    using unhandled = recordUnhandledRejections();
    const Client = limitClientClass(pg.Client, { maxConcurrentOps: 100 });
    const result = await exercise(knexOf(Client).knex);
    expect(result).toEqual(await exercise(knexOf(pg.Client).knex));
    const figures = { connections: 1, failed: '22012', all: (500 * 501) / 2, first: 3 };
    expect(result).toMatchObject({ rows: [{ n: 7 }], ...figures });
    await expect.poll(() => Client.limiter.inFlight).toBe(0);
    expect(Client.limiter.stats()).toMatchObject({ rejected: 0, failed: 1, doubleReleases: 0 });
    expect(unhandled.errors).toEqual([]);
  });

  test('a rejection comes through, of a query, a transaction and a stream', async () => {
    const Client = limitClientClass(pg.Client, { maxConcurrentOps: 5 });
    const { knex } = knexOf(Client, { version: '15.0' });
    const sleep = 'select pg_sleep(0.1)';
    const query = async () => knex.raw(sleep);
    // As many connections as it may have, before it gets tight.
    await Promise.all(Array.from({ length: 5 }, query));
    // The permit of a new connection comes back one turn after its first query.
    await expect.poll(() => Client.limiter.inFlight).toBe(0);
    Client.limiter.resize(1);
    expect(await atLimitOne(Client.limiter, query)).toEqual(['BackpressureError']);
    const transaction = () => knex.transaction((trx) => trx.raw(sleep));
    expect(await atLimitOne(Client.limiter, transaction)).toEqual(['BackpressureError']);
    const stream = async () => {
      for await (const _ of knex.select(knex.raw('pg_sleep(0.1)')).stream());
    };
    expect(await atLimitOne(Client.limiter, stream)).toEqual(['BackpressureError']);
  });

  test('with `version` in its configuration, knex loses no connection to a rejection', async () => {
    await firstCallAtFullLimit({ version: '15.0' });
  });

  // knex asks each new connection for the server's version, and drops it, open, if the answer is an error.
  test('without `version` in its configuration, knex loses no connection to a rejection', async () => {
    await firstCallAtFullLimit({});
  });
});
