import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type MysqlServer, startMysql } from '../support/servers/mysql/start-mysql.js';
import { sharedMysql } from './support/shared-server.js';

const url = await sharedMysql();

async function ask<T>(server: { url: string }, sql: string): Promise<T> {
  const connection = await mysql.createConnection(server.url);
  connection.on('error', () => {});
  try {
    const [rows] = await connection.query<mysql.RowDataPacket[][]>({ sql, rowsAsArray: true });
    return rows[0]?.[0] as T;
  } finally {
    connection.destroy();
  }
}

afterEach(() => vi.unstubAllEnvs());

describe('the server at FLOODGATE_MYSQL_URL', () => {
  test('is used, and is not ours to stop', async () => {
    vi.stubEnv('FLOODGATE_MYSQL_URL', url);
    vi.stubEnv('FLOODGATE_SERVERS', '');
    await using server = await startMysql();
    expect(server).toMatchObject({ way: 'address', owned: false, url });
    await expect(server.stop()).rejects.toThrow(
      'will not stop the server at FLOODGATE_MYSQL_URL: it is not ours',
    );
    await expect(server.start()).rejects.toThrow('will not start');
    await expect(server.pause()).rejects.toThrow('will not pause');
    await server.close();
    expect(await ask(server, 'select 1')).toBe(1);
  });

  test.each([
    ['a wrong password', url.replace(/\/\/.*@/, '//nobody:wrong@'), 'address: Access denied'],
    ['another kind', 'postgres://a@b/c', 'must read mysql://user:password@host:port/database'],
    ['no database', 'mysql://a@b:1', 'must read mysql://user:password@host:port/database'],
  ])('with %s is an error, and not passed over', async (_, wrong, message) => {
    vi.stubEnv('FLOODGATE_MYSQL_URL', wrong);
    vi.stubEnv('FLOODGATE_SERVERS', '');
    const error = await startMysql().then(String, (reason: Error) => reason.message);
    expect(error).toContain(message);
    expect(error).toContain('  - install MariaDB or MySQL on this machine');
    expect(error).not.toContain('local: ');
  });
});

describe('a dedicated server', () => {
  test('is another one, takes settings, and does not run as root', async () => {
    vi.stubEnv('FLOODGATE_MYSQL_URL', url);
    await using server = await startMysql({ dedicated: true, settings: { max_connections: 17 } });
    expect(server.owned).toBe(true);
    expect(server.url).not.toBe(url);
    expect(await ask(server, 'select @@max_connections')).toBe(17);
    if (server.way !== 'local') return;
    const pidFile = await ask<string>(server, 'select @@pid_file');
    const status = readFileSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}/status`, 'utf8');
    expect(status).not.toMatch(/^Uid:\s+0\b/m);
  });

  test('refuses connections while stopped, and comes back on the same port with its data', async () => {
    await using server = await startMysql({ dedicated: true });
    await ask(server, 'create table kept (n int) engine = innodb');
    await ask(server, 'insert into kept values (1), (2)');
    for (const mode of ['fast', 'immediate'] as const) {
      await server.stop(mode);
      await expect(ask(server, 'select 1')).rejects.toThrow('ECONNREFUSED');
      await server.start();
      expect(await ask(server, 'select count(*) from kept')).toBe(2);
    }
  });

  test('answers no query while paused, answers it when resumed, and is stopped from a pause too', async () => {
    await using server = await startMysql({ dedicated: true });
    const connection = await mysql.createConnection(server.url);
    connection.on('error', () => {});
    await server.pause();
    const answer = connection.query('select 1').then(() => 'answer');
    expect(await Promise.race([answer, sleep(300, 'silence')])).toBe('silence');
    await server.resume();
    expect(await answer).toBe('answer');
    await server.pause();
    await server.stop();
    await server.start();
    expect(await ask(server, 'select 1')).toBe(1);
  });

  test('leaves a closed port and no folder when closed, and may be closed twice', async () => {
    const server = await startMysql({ dedicated: true });
    const folder = server.way === 'local' ? await ask<string>(server, 'select @@datadir') : undefined;
    await Promise.all([server.close(), server.close()]);
    expect(await portIsOpen(server)).toBe(false);
    expect(folder !== undefined && existsSync(folder)).toBe(false);
    await expect(server.start()).rejects.toThrow('closed');
  });

  test('that cannot start says what its log says, and how to get a server', async () => {
    vi.stubEnv('FLOODGATE_SERVERS', 'local');
    const starting = startMysql({ dedicated: true, settings: { no_such_setting: 1 } });
    await expect(starting).rejects.toThrow(/local: .*unknown variable 'no_such_setting=1'/s);
    await expect(starting).rejects.toThrow('set FLOODGATE_MYSQL_URL=mysql://');
  });
});

test('a forced way that is not known is an error', async () => {
  vi.stubEnv('FLOODGATE_SERVERS', 'podman');
  await expect(startMysql()).rejects.toThrow(
    'FLOODGATE_SERVERS must be local, embedded or container, got "podman"',
  );
});

function portIsOpen({ host, port }: MysqlServer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
