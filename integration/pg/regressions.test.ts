import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackpressureError, Limiter } from 'floodgate';
import { LimitedClient, LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';

/*
 * What went wrong once, each in the way it was found.
 */

const { url } = inject('postgres');

async function limitedClient(
  options: ConstructorParameters<typeof LimitedClient>[1],
): Promise<LimitedClient> {
  const client = new LimitedClient(pg.Client, options, { connectionString: url });
  onTestFinished(() => client.end().catch(() => {}));
  await client.connect();
  return client;
}

/** Connects late: the cancel request, which has a connection of its own, comes after the statement has ended. */
class LateSocket extends Socket {
  override connect(...args: unknown[]): this {
    setTimeout(() => super.connect(...(args as [number, string])), 150);
    return this;
  }
}

describe('a cancel request that comes late', () => {
  test('finds nobody else on the connection of a pool', async () => {
    let sockets = 0;
    const stream = () => (sockets++ === 0 ? new Socket() : new LateSocket());
    await using under = limitedPool(url, { abandonedStatements: 'cancel' }, { max: 1, stream });
    const client = await under.pool.connect();
    const statement = { text: 'select pg_sleep(0.14)', query_timeout: 100 };
    await expect(client.query(statement)).rejects.toThrow('Query read timeout');
    client.release();
    const innocent = await under.pool.query('select pg_sleep(0.2), 1 as one');
    expect([innocent.rows[0].one, sockets]).toEqual([1, 2]);
  });

  test('finds no later query of a standalone client', async () => {
    const client = await limitedClient({ abandonedStatements: 'cancel' });
    for (let times = 0; times < 5; times++) {
      const statement = { text: 'select pg_sleep(0.022)', query_timeout: 20 };
      await client.query(statement).catch((error) => expect(error.message).toBe('Query read timeout'));
      expect((await client.query('select pg_sleep(0.02), 1 as one')).rows[0].one).toBe(1);
    }
    await vi.waitFor(() => expect(client.limiter.stats().running).toBe(0));
  });
});

describe('a connect of somebody else’s', () => {
  class Tenants extends pg.Pool {}
  const { connect } = pg.Pool.prototype as unknown as {
    connect: (callback?: unknown) => Promise<pg.PoolClient>;
  };
  Object.assign(Tenants.prototype, {
    connect(this: pg.Pool, callback?: unknown) {
      if (callback) return connect.call(this, callback);
      return connect.call(this).then(async (client) => {
        await client.query("set application_name = 'tenant'");
        return client;
      });
    },
  });

  test('is called in the form that was used, and costs no permit', async () => {
    const pool = new LimitedPool(Tenants, { maxConcurrentOps: 2 }, { connectionString: url });
    onTestFinished(() => pool.end());
    const client = await pool.connect();
    const { rows } = await client.query('show application_name');
    expect([rows, pool.limiter.inFlight]).toEqual([[{ application_name: 'tenant' }], 1]);
    client.release();
    expect(pool.limiter.inFlight).toBe(0);
  });

  test('a standalone client that connects again gets the driver’s error and loses no permit', async () => {
    const client = await limitedClient({ maxConcurrentOps: 2 });
    await client.query('begin');
    await expect(client.connect()).rejects.toThrow('Client has already been connected');
    await client.query('commit');
    expect(client.limiter.stats()).toMatchObject({ inFlight: 0, running: 0 });
  });
});

describe('a permit stays with what still runs', () => {
  test('when a client is released in a callback with a query queued on it', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    await using under = limitedPool(url, { limiter });
    const client = await under.pool.connect();
    let queued: Promise<unknown> | undefined;
    await new Promise<void>((resolve) => {
      client.query('select 1', () => {
        client.release();
        resolve();
      });
      queued = client.query('select pg_sleep(0.1)');
    });
    expect(limiter.inFlight).toBe(1);
    await queued;
    expect(limiter.inFlight).toBe(0);
  });

  test('when a query times out on a client that was released under it', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 }, { query_timeout: 50 });
    const client = await under.pool.connect();
    const running = client.query('select pg_sleep(0.3)');
    client.release();
    await expect(running).rejects.toThrow('Query read timeout');
    expect(under.limiter.inFlight).toBe(1);
    await vi.waitFor(() => expect(under.limiter.inFlight).toBe(0), 2_000);
  });
});

describe('pool.end()', () => {
  test('cancels what is abandoned after it was called, while others still wait', async () => {
    await using under = limitedPool(url, {}, { max: 1, query_timeout: 150 });
    const slow = under.pool.query('select pg_sleep(8)');
    const waiting = under.pool.query('select 1');
    const startedAt = performance.now();
    const ended = under.pool.end();
    await expect(slow).rejects.toThrow('Query read timeout');
    await waiting;
    await ended;
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test('a stream after it is still a stream, with an error of its own', async () => {
    await using under = limitedPool(url, {});
    await under.pool.end();
    const stream = under.pool.query(new QueryStream('select 1'));
    expect(await new Promise((resolve) => stream.on('error', resolve))).toMatchObject({
      message: 'Cannot use a pool after calling end on the pool',
    });
  });
});

describe('streams and cursors on a pool', () => {
  test('a stream that is cut short by query_timeout never ends as if it were whole', async () => {
    await using under = limitedPool(url, {}, { query_timeout: 40 });
    for (let times = 0; times < 20; times++) {
      const stream = under.pool.query(
        new QueryStream('select pg_sleep(0.002) from generate_series(1, 1000)', [], { batchSize: 5 }),
      );
      const read = async () => {
        for await (const _ of stream) await sleep(1);
      };
      await expect(read()).rejects.toThrow('Query read timeout');
    }
    await vi.waitFor(() => expect(under.limiter.inFlight).toBe(0), 5_000);
  });

  test('a cursor that is closed right after a read answers both', async () => {
    await using under = limitedPool(url, {});
    const cursor = under.pool.query(new Cursor('select generate_series(1, 100)'));
    const read = cursor.read(100);
    await cursor.close();
    expect(await read).toHaveLength(100);
    const early = under.pool.query(new Cursor('select 1'));
    await early.close();
    expect(await early.read(1)).toEqual([]);
    await Promise.all([cursor.close(), early.close()]);
  });

  test.each([
    ['a cursor', (pool: LimitedPool) => pool.query(new Cursor('select nope'))],
    ['a stream', (pool: LimitedPool) => pool.query(new QueryStream('select nope'))],
  ])('%s that is read late tells the server’s error', async (_, query) => {
    await using under = limitedPool(url, {});
    const source = query(under.pool);
    await sleep(100);
    const read = async () => {
      if (source instanceof Cursor) await source.read(1);
      else for await (const _ of source);
    };
    await expect(read()).rejects.toMatchObject({ code: '42703' });
  });

  test('a stream that is rejected tells it without being read', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1 });
    const client = await under.pool.connect();
    const stream = under.pool.query(new QueryStream('select 1'));
    expect(await new Promise((resolve) => stream.on('error', resolve))).toBeInstanceOf(BackpressureError);
    client.release();
  });

  test('a callback is called once', async () => {
    await using under = limitedPool(url, {});
    const callback = vi.fn();
    const stream = (under.pool.query as (...args: unknown[]) => QueryStream)(
      new QueryStream('select generate_series(1, 3)'),
      callback,
    );
    stream.resume();
    await vi.waitFor(() => expect(under.limiter.inFlight).toBe(0));
    await sleep(20);
    expect(callback).toHaveBeenCalledTimes(1);
  });
});

test('an option in the wrong place is refused, and says where it belongs', () => {
  const config = { max: 3, maxConcurrentOps: 10 } as pg.PoolConfig;
  expect(() => new LimitedPool(pg.Pool, {}, config)).toThrow(
    "floodgate: maxConcurrentOps is an option of LimitedPool: it goes into the second argument, not into the client's own configuration",
  );
});
