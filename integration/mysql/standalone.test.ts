import { setTimeout as sleep } from 'node:timers/promises';
import { BackpressureError, Limiter } from 'floodgate';
import type { LimitedMysqlOptions } from 'floodgate/mysql2';
import type mysql from 'mysql2';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { workOf } from './settled-accounts.js';
import { uniqueName } from './support/client-under-test.js';
import { type Operator, openOperator, until } from './support/operator.js';
import { sharedMysql } from './support/shared-server.js';
import { standaloneConnection } from './support/standalone-connection.js';
import { sleeping } from './work.js';

const url = await sharedMysql();
const database = uniqueName();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.createDatabase(database);
});
afterAll(() => operator[Symbol.asyncDispose]());

async function connect(options: LimitedMysqlOptions, config: mysql.ConnectionOptions = {}) {
  const core = await standaloneConnection(url, database, options, config);
  onTestFinished(() => core.destroy());
  return { core, connection: core.promise(), limiter: core.limiter };
}

const resetOf = (core: mysql.Connection) =>
  new Promise<void>((resolve, reject) => core.reset((error) => (error ? reject(error) : resolve())));
const told = (answer: Promise<unknown>) =>
  answer.then(
    () => 'ok',
    (error: Error) => error,
  );

describe('a transaction keeps one permit from its beginning to its end', () => {
  test.each([
    ['beginTransaction and commit', (c: mysql.Connection) => c.promise().beginTransaction(), 'commit'],
    ['begin and rollback', (c: mysql.Connection) => c.promise().query('begin'), 'rollback'],
    [
      'start transaction and commit, executed',
      (c: mysql.Connection) => c.promise().query('/* a */ start transaction'),
      'commit',
    ],
    [
      'a text that opens one at its end',
      (c: mysql.Connection) => c.promise().query('select 1; begin'),
      'commit',
    ],
    [
      'autocommit off',
      (c: mysql.Connection) => c.promise().query('set autocommit = 0; select n from numbers'),
      'commit',
    ],
  ])('(%s), and nothing in it is rejected', async (_, begin, end) => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const { core, connection } = await connect({ limiter }, { multipleStatements: true });
    const other = await connect({ limiter });
    await begin(core);
    expect(limiter.inFlight).toBe(1);
    expect(await told(other.connection.query('select 1'))).toBeInstanceOf(BackpressureError);
    await connection.query('insert into marks values (1)');
    await connection.execute('select n from marks');
    expect(limiter.inFlight).toBe(1);
    await connection.query(end);
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
    await other.connection.query('select 1');
    expect(limiter.stats()).toMatchObject({ rejected: 1, doubleReleases: 0 });
    expect(workOf(limiter)).toMatchObject({ admitted: 2, succeeded: 2 });
  });

  test('sent in one go, too', async () => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 1 });
    await Promise.all(
      ['begin', 'insert into marks values (1)', 'commit'].map((sql) => connection.query(sql)),
    );
    expect(workOf(limiter)).toMatchObject({ admitted: 1, succeeded: 1 });
    expect(limiter.inFlight).toBe(0);
  });

  test.each([
    [
      'autocommit off',
      ['set autocommit = 0'],
      ['insert into marks values (1)', 'select n from marks', 'commit'],
    ],
    ['a begin in a comment', [], ['/*!40000 start transaction */', 'insert into marks values (1)', 'commit']],
    [
      'a text that opens one at its end',
      [],
      ['set @a = 1; begin', 'insert into marks values (1)', 'rollback'],
    ],
  ])('and that one of which the server tells (%s), too', async (_, before, sent) => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 3 }, { multipleStatements: true });
    for (const sql of before) await connection.query(sql);
    const admitted = limiter.stats().admitted;
    await Promise.all(sent.map((sql) => connection.query(sql)));
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, doubleReleases: 0 });
    expect(limiter.stats().admitted - admitted).toBe(3);
    await connection.query('begin');
    expect(limiter.inFlight).toBe(1);
    await connection.query('commit');
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, failed: 0 });
  });

  test('one that goes on after what was sent with its beginning keeps one permit', async () => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 3 }, { multipleStatements: true });
    await Promise.all(
      ['set @a = 1; begin', 'insert into marks values (1)'].map((sql) => connection.query(sql)),
    );
    expect(limiter.inFlight).toBe(1);
    await connection.query('commit');
    expect(limiter.inFlight).toBe(0);
  });

  test('a statement that fails in it does not end it', async () => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 1 });
    await connection.beginTransaction();
    await expect(connection.query('select n from nothing')).rejects.toMatchObject({ errno: 1146 });
    expect(limiter.inFlight).toBe(1);
    await connection.rollback();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, failed: 1 });
  });

  test('a begin that fails, or opens none, keeps nothing', async () => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 1 });
    await expect(connection.query('begin nonsense')).rejects.toMatchObject({ errno: 1064 });
    expect(limiter.inFlight).toBe(0);
  });

  test('and one that was rejected can be rolled back at a full limiter', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const one = await connect({ limiter });
    const other = await connect({ limiter });
    await one.connection.beginTransaction();
    await expect(other.connection.beginTransaction()).rejects.toMatchObject({ reason: 'limit' });
    await other.connection.rollback();
    await other.connection.execute('commit');
    await one.connection.commit();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, rejected: 1, peakInFlight: 1 });
  });

  test('also where COMMIT begins the next one', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const one = await connect({ limiter });
    const other = await connect({ limiter });
    await one.connection.query("set completion_type = 'CHAIN'");
    await one.connection.beginTransaction();
    await one.connection.commit();
    expect(limiter.inFlight).toBe(1);
    await one.connection.query("set completion_type = 'NO_CHAIN'");
    await one.connection.commit();
    expect(limiter.inFlight).toBe(0);
    // One that costs nothing, and nothing rides on that.
    await one.connection.query("set completion_type = 'CHAIN'");
    await one.connection.commit();
    await other.connection.beginTransaction();
    const insert = () => told(one.connection.query('insert into marks values (1)'));
    expect(await insert()).toMatchObject({ reason: 'limit' });
    await other.connection.commit();
    expect([await insert(), limiter.inFlight]).toEqual(['ok', 1]);
    one.core.destroy();
    await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }));
  });

  test('until the connection is lost', async () => {
    const { core, connection, limiter } = await connect({ maxConcurrentOps: 1 });
    await connection.beginTransaction();
    await operator.execute(`kill ${core.threadId}`);
    await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, overloaded: 1 }));
  });

  test('until the connection is ended', async () => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 1 });
    await connection.beginTransaction();
    await connection.end();
    await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }));
  });
});

describe('a transaction that ends without a commit or rollback gives its permit back', () => {
  const failing = (c: mysql.Connection, sql: string) => expect(c.promise().query(sql)).rejects.toThrow();

  test.each([
    ['reset', resetOf],
    ['changeUser', (c: mysql.Connection) => c.promise().changeUser({ database })],
    ['a statement that commits', (c: mysql.Connection) => c.promise().query('analyze table marks')],
  ])('(%s) with the answer', async (_, end) => {
    const { core, connection, limiter } = await connect({ maxConcurrentOps: 1 });
    await connection.beginTransaction();
    await connection.query('insert into marks values (1)');
    await end(core);
    expect(limiter.inFlight).toBe(0);
    expect(workOf(limiter)).toMatchObject({ admitted: 1, succeeded: 1 });
    // A transaction of its own goes on as ever.
    await connection.beginTransaction();
    expect(limiter.inFlight).toBe(1);
    await connection.commit();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, doubleReleases: 0 });
  });

  test.each([
    ['create table', (c: mysql.Connection) => failing(c, 'create table marks (n int)')],
    ['drop table', (c: mysql.Connection) => failing(c, '/* a */ drop table nothing')],
    [
      'create table, executed',
      (c: mysql.Connection) => expect(c.promise().execute('create table marks (n int)')).rejects.toThrow(),
    ],
    ['the last of several', (c: mysql.Connection) => failing(c, 'select 1; create table marks (n int)')],
    [
      'changeUser',
      (c: mysql.Connection) => expect(c.promise().changeUser({ password: 'no' })).rejects.toThrow(),
    ],
  ])('(%s) when it fails, and nothing else is sent', async (_, end) => {
    const { core, connection, limiter } = await connect(
      { maxConcurrentOps: 1 },
      { multipleStatements: true },
    );
    await connection.beginTransaction();
    await connection.query('insert into marks values (1)');
    await end(core);
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
    expect(workOf(limiter)).toMatchObject({ admitted: 1, failed: 1 });
  });

  test('(a deadlock) to the one that was rolled back, and not to the other', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    const lines = ['lock in share mode', 'for update'];
    const [one, other] = [await connect({ limiter }), await connect({ limiter })];
    for (const { connection } of [one, other]) {
      await connection.beginTransaction();
      await connection.query(`select n from numbers where n = 1 ${lines[0]}`);
    }
    const answers = [one, other].map(({ connection }) =>
      told(connection.query(`select n from numbers where n = 1 ${lines[1]}`)),
    );
    const errors = await Promise.all(answers);
    expect(errors.filter((error) => (error as { errno?: number }).errno === 1213)).toHaveLength(1);
    await vi.waitFor(() => expect(limiter.inFlight).toBe(1));
    for (const { connection } of [one, other]) await connection.rollback();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, rejected: 0, doubleReleases: 0 });
  });

  test('and one that goes on keeps it, and is asked only if nothing follows', async () => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 1 });
    const asked = async () => {
      const [rows] = await connection.query<mysql.RowDataPacket[]>(
        "show session status like 'Com_admin_commands'",
      );
      return Number(rows[0]!.Value);
    };
    await connection.beginTransaction();
    const before = await asked();
    for (let times = 0; times < 3; times++) {
      await expect(connection.query('insert into numbers values (1)')).rejects.toMatchObject({ errno: 1062 });
    }
    expect([await asked(), limiter.inFlight]).toEqual([before, 1]);
    await expect(connection.query('insert into numbers values (1)')).rejects.toMatchObject({ errno: 1062 });
    await sleep(20);
    expect([await asked(), limiter.inFlight]).toEqual([before + 1, 1]);
    await connection.commit();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, failed: 1, doubleReleases: 0 });
    expect(workOf(limiter).admitted).toBe(1);
  });
});

describe('what passes without a permit', () => {
  test('end() at a full limiter', async () => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 1 });
    limiter.acquire();
    await connection.end();
    await until('it is gone', async () => (await operator.connections(database)) === 0);
  });

  test('closing a prepared statement', async () => {
    const { core, connection, limiter } = await connect({ maxConcurrentOps: 1 });
    const statement = await connection.prepare('select 1');
    const permit = limiter.acquire();
    await statement.close();
    core.unprepare('select 1');
    permit.release();
    await connection.query('select 1');
  });
});

describe('a rejection', () => {
  test('comes after the call has returned, in each form', async () => {
    const { core, limiter } = await connect({ maxConcurrentOps: 1 });
    limiter.acquire();
    const heard: string[] = [];
    const callback = (form: string) => (error: Error | null) => heard.push(`${form} ${error?.name}`);
    core.query('select 1', callback('query'));
    core.execute('select 1', callback('execute'));
    core.prepare('select 1', callback('prepare'));
    core.ping(callback('ping'));
    core.reset(callback('reset'));
    core.changeUser({}, callback('changeUser'));
    core.beginTransaction(callback('beginTransaction'));
    core.query('select 1').on('error', callback('events'));
    core.query('select 1').stream().on('error', callback('stream'));
    core.execute('select 1').on('error', callback('executed events'));
    // Nobody listens to this one, and nothing is thrown.
    core.ping();
    expect(heard).toEqual([]);
    await vi.waitFor(() => expect(heard).toHaveLength(10));
    expect(new Set(heard.map((line) => line.split(' ').at(-1)))).toEqual(new Set(['BackpressureError']));
    expect(limiter.stats()).toMatchObject({ inFlight: 1, rejected: 11 });
  });

  test('of a changeUser is not fatal, since the connection is well', async () => {
    const { core, connection, limiter } = await connect({ maxConcurrentOps: 1 });
    const permit = limiter.acquire();
    const rejection = await told(connection.changeUser({ database }));
    expect(rejection).toMatchObject({ name: 'BackpressureError', reason: 'limit' });
    expect(rejection).not.toHaveProperty('fatal');
    const byCallback = await new Promise<unknown>((resolve) =>
      (core.changeUser as (callback: (error: unknown) => void) => void)(resolve),
    );
    expect(byCallback).toMatchObject({ name: 'BackpressureError' });
    permit.release();
    await connection.changeUser({ database });
    expect(await told(connection.changeUser({ password: 'no' }))).toMatchObject({ fatal: true, errno: 1045 });
  });

  test('sends nothing, and what came before and after is answered in order', async () => {
    const { connection, limiter } = await connect({ maxConcurrentOps: 2 });
    const answers = [1, 2, 3, 4].map((n) => told(connection.execute(`select ${n}`)));
    expect((await Promise.all(answers)).map(String)).toEqual([
      'ok',
      'ok',
      expect.stringContaining('BackpressureError'),
      expect.stringContaining('BackpressureError'),
    ]);
    await connection.execute('select 5');
    expect(workOf(limiter)).toMatchObject({ admitted: 3, succeeded: 3 });
    expect(limiter.stats()).toMatchObject({ inFlight: 0, rejected: 2 });
  });

  test('a bad argument is the driver’s business, and costs no permit', async () => {
    const { core, limiter } = await connect({ maxConcurrentOps: 1 });
    expect(() => core.execute('select ?', [undefined as never])).toThrow(
      'Bind parameters must not contain undefined',
    );
    expect(() => core.query(null as never)).toThrow(TypeError);
    expect(workOf(limiter).admitted).toBe(0);
    expect(limiter.inFlight).toBe(0);
  });
});

test('what a callback sends that mysql2 calls within execute() takes permits of its own', async () => {
  const { core, limiter } = await connect({ maxConcurrentOps: 2 });
  const circular: { self?: unknown } = {};
  circular.self = circular;
  await core.promise().execute('select ? as n', [1]);
  const heard: unknown[] = [];
  core.execute('select ? as n', [circular] as never, (error) => {
    heard.push(error?.name);
    for (let n = 1; n <= 3; n++) core.query('select 1', (inner) => heard.push(inner?.name ?? n));
    core.execute('select 1', (inner: Error | null) => heard.push(inner?.name));
    heard.push(limiter.inFlight);
  });
  await vi.waitFor(() => expect(heard).toHaveLength(6));
  expect(heard.slice(0, 2)).toEqual(['TypeError', 2]);
  expect(heard.slice(2).sort()).toEqual([1, 2, 'BackpressureError', 'BackpressureError']);
  expect(limiter.stats()).toMatchObject({ inFlight: 0, rejected: 2, succeeded: 4, failed: 1 });
});

test('destroyed under a statement, it keeps the permit until the server is done', async () => {
  const { core, limiter } = await connect({ maxConcurrentOps: 1 });
  core.query(sleeping(0.2), () => {});
  await operator.untilRunning(database);
  core.destroy();
  expect(limiter.inFlight).toBe(1);
  await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
  expect(await operator.running(database)).toBe(0);
});

test('of three connections under one limiter, statements at the server never exceed the limit', async () => {
  const limiter = new Limiter({ maxConcurrentOps: 2 });
  const all = [await connect({ limiter }), await connect({ limiter }), await connect({ limiter })];
  const answers = all.map(({ connection }) => told(connection.query(sleeping(0.2))));
  await operator.untilRunning(database, 2);
  expect(await operator.running(database)).toBe(2);
  const results = await Promise.all(answers);
  expect(results.filter((result) => result === 'ok')).toHaveLength(2);
});
