import type { Limiter } from 'floodgate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type FaultProxy, startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import { limitedPool } from '../support/pool-under-test.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres/start-postgres.js';

/* What a server that is full, down or out of reach answers: overload, all of it. */

let server: PostgresServer;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startPostgres({
    dedicated: true,
    settings: { max_connections: 4, superuser_reserved_connections: 0, max_wal_senders: 0 },
  });
  proxy = await startFaultProxy(server);
});
afterAll(async () => {
  await proxy?.close();
  await server?.close();
});

const fails = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: Error & { code?: string }) => error.code ?? error.message,
  );

const expectOverloads = (limiter: Limiter, overloaded: number) =>
  vi.waitFor(() =>
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, overloaded, failed: 0, ignored: 0 }),
  );

describe('an overload is', () => {
  test('53300: too many connections', async () => {
    await using under = limitedPool(server.url, {}, { max: 10 });
    const calls = Array.from({ length: 10 }, () => fails(under.pool.query('select pg_sleep(1)')));
    const answers = await Promise.all(calls);
    expect(answers.sort()).toEqual([...Array(6).fill('53300'), ...Array(4).fill('answered')]);
    await expectOverloads(under.limiter, 6);
    expect(under.limiter.stats().succeeded).toBe(4);
  });

  test('a wait in the pool that is too long', async () => {
    await using under = limitedPool(server.url, {}, { max: 1, connectionTimeoutMillis: 500 });
    const client = await under.pool.connect();
    expect(await fails(under.pool.query('select 1'))).toBe('timeout exceeded when trying to connect');
    await expect(under.pool.connect()).rejects.toThrow('timeout exceeded when trying to connect');
    client.release();
    await expectOverloads(under.limiter, 2);
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
  });

  test('a connection that does not come about in time', async () => {
    await using under = limitedPool(
      throughProxy(server.url, proxy),
      {},
      { max: 1, connectionTimeoutMillis: 200 },
    );
    proxy.pause();
    expect(await fails(under.pool.query('select 1'))).toBe('Connection terminated due to connection timeout');
    proxy.resume();
    await expectOverloads(under.limiter, 1);
  });

  test('ECONNRESET: the network cuts a connection under a query', async () => {
    await using under = limitedPool(throughProxy(server.url, proxy), {}, { max: 1 });
    await under.pool.query('select 1');
    const answer = fails(under.pool.query('select pg_sleep(30)'));
    await vi.waitFor(() => expect(under.limiter.inFlight).toBe(1));
    proxy.drop();
    expect(await answer).toMatch(/^(ECONNRESET|Connection terminated unexpectedly)$/);
    await expectOverloads(under.limiter, 1);
  });

  test('57P03: a server that shuts down, and then ECONNREFUSED: one that is down', async () => {
    await using under = limitedPool(server.url, {}, { max: 2 });
    const client = await under.pool.connect();
    const stopped = server.stop('smart');
    await vi.waitFor(async () => expect(await fails(under.pool.query('select 1'))).toBe('57P03'), 5_000);
    client.release(true);
    await stopped;
    const { overloaded } = under.limiter.stats();
    expect(await fails(under.pool.query('select 1'))).toBe('ECONNREFUSED');
    await expectOverloads(under.limiter, overloaded + 1);
    await server.start();
    expect((await under.pool.query('select 1')).rowCount).toBe(1);
  });
});
