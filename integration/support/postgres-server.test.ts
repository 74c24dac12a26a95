import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { type PostgresServer, startPostgres } from './servers/postgres/start-postgres.js';

async function ask(server: { url: string }, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

const number = (server: PostgresServer, sql: string) => ask(server, sql).then(Number);

afterEach(() => vi.unstubAllEnvs());

describe('the shared server', () => {
  test('answers at the address that the global setup provides, and is PostgreSQL 13 or newer', async () => {
    expect(await ask(inject('postgres'), 'select 1')).toBe(1);
    expect(Number.parseInt(inject('postgres').version, 10)).toBeGreaterThanOrEqual(13);
  });

  test('at FLOODGATE_PG_URL is used, and is not ours to stop', async () => {
    vi.stubEnv('FLOODGATE_PG_URL', inject('postgres').url);
    vi.stubEnv('FLOODGATE_SERVERS', '');
    await using server = await startPostgres();
    expect(server).toMatchObject({ way: 'address', owned: false, url: inject('postgres').url });
    await expect(server.stop()).rejects.toThrow(
      'will not stop the server at FLOODGATE_PG_URL: it is not ours',
    );
    await expect(server.start()).rejects.toThrow('will not start');
    await expect(server.pause()).rejects.toThrow('will not pause');
    await server.close();
    expect(await ask(server, 'select 1')).toBe(1);
  });

  test('at an address that does not answer is an error and not passed over', async () => {
    vi.stubEnv('FLOODGATE_PG_URL', inject('postgres').url.replace(/\/\/.*@/, '//nobody:wrong@'));
    vi.stubEnv('FLOODGATE_SERVERS', '');
    const message = await startPostgres().then(String, (error: Error) => error.message);
    expect(message).toMatch(/address: (password authentication failed|.*"nobody")/);
    expect(message).not.toContain('embedded: ');
  });
});

describe('a dedicated server', () => {
  test('is another one than the one at FLOODGATE_PG_URL', async () => {
    vi.stubEnv('FLOODGATE_PG_URL', inject('postgres').url);
    await using server = await startPostgres({ dedicated: true });
    expect(server.owned).toBe(true);
    expect(server.port).not.toBe(Number(new URL(inject('postgres').url).port));
  });

  test('takes settings', async () => {
    await using server = await startPostgres({ dedicated: true, settings: { max_connections: 17 } });
    expect(await ask(server, 'show max_connections')).toBe('17');
    expect(await ask(server, 'show fsync')).toBe('off');
  });

  test('refuses connections while stopped, and comes back on the same port with its data', async () => {
    await using server = await startPostgres({ dedicated: true });
    await ask(server, 'create table kept as select generate_series(1, 42) as n');
    await server.stop();
    await expect(ask(server, 'select 1')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await number(server, 'select count(*) from kept')).toBe(42);
    await server.stop('immediate');
    await server.start();
    expect(await number(server, 'select count(*) from kept')).toBe(42);
  });

  test('cuts open connections by a fast stop', async () => {
    await using server = await startPostgres({ dedicated: true });
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    const running = client.query('select pg_sleep(30)').then(
      () => 'answered',
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
    await sleep(50);
    const began = performance.now();
    await server.stop('fast');
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(await running).toBe('57P01');
  });

  test('answers no query while paused, answers it when resumed, and can be paused again', async () => {
    await using server = await startPostgres({ dedicated: true });
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    for (const round of [1, 2]) {
      await server.pause();
      const answer = client
        .query({ text: `select ${round}`, rowMode: 'array' })
        .then(({ rows }) => rows[0]?.[0]);
      expect(await Promise.race([answer, sleep(300, 'silence')])).toBe('silence');
      await server.resume();
      expect(await answer).toBe(round);
    }
    await client.end();
  });

  test('is stopped and started from a pause too', async () => {
    await using server = await startPostgres({ dedicated: true });
    await server.pause();
    await server.stop();
    await server.start();
    expect(await ask(server, 'select 1')).toBe(1);
    await server.pause();
  });

  test('leaves a closed port and no folder when closed, and may be closed twice', async () => {
    const server = await startPostgres({ dedicated: true });
    const folder = server.way === 'container' ? undefined : String(await ask(server, 'show data_directory'));
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect(await portIsOpen(server)).toBe(false);
    expect(folder !== undefined && existsSync(folder)).toBe(false);
    await expect(server.start()).rejects.toThrow('closed');
  });

  test('that cannot start says what its log says, and how to get a server', async () => {
    vi.stubEnv('FLOODGATE_SERVERS', 'local');
    const starting = startPostgres({ dedicated: true, settings: { no_such_setting: 1 } });
    await expect(starting).rejects.toThrow(
      /embedded: .*unrecognized configuration parameter "no_such_setting"/s,
    );
    await expect(starting).rejects.toThrow('set FLOODGATE_PG_URL=postgres://');
  });
});

test('servers started at the same time do not get in each other’s way', async () => {
  const servers = await Promise.all([1, 2, 3, 4].map(() => startPostgres({ dedicated: true })));
  try {
    expect(new Set(servers.map(({ port }) => port)).size).toBe(4);
    expect(await Promise.all(servers.map((server) => ask(server, 'select 1')))).toEqual([1, 1, 1, 1]);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
});

test('a forced way that is not known is an error', async () => {
  vi.stubEnv('FLOODGATE_SERVERS', 'podman');
  await expect(startPostgres()).rejects.toThrow(
    'FLOODGATE_SERVERS must be local, embedded or container, got "podman"',
  );
});

function portIsOpen({ host, port }: PostgresServer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
