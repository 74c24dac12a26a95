import { BackpressureError } from 'floodgate';
import { LimitedMysql, type LimitedMysqlOptions } from 'floodgate/mysql2';
import mysql from 'mysql2';
import promises from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { poolConfig, uniqueName } from './support/client-under-test.js';
import { type Operator, openOperator } from './support/operator.js';
import { sharedMysql } from './support/shared-server.js';
import { sleeping } from './work.js';

const url = await sharedMysql();
const database = uniqueName();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.createDatabase(database);
});
afterAll(() => operator[Symbol.asyncDispose]());

/** A node's configuration; the dead one is an address where nobody listens. */
const node = (config: mysql.PoolOptions = {}) => poolConfig(url, database, config);
const DEAD = { host: '127.0.0.1', port: 1, connectionLimit: 2 };

function clusterOf(options: LimitedMysqlOptions, config: mysql.PoolClusterOptions = {}) {
  const cluster = new LimitedMysql(promises.createPoolCluster, options, config);
  const events: string[] = [];
  for (const event of ['remove', 'offline', 'online', 'warn']) {
    cluster.on(event, (what) => events.push(`${event} ${what}`));
  }
  onTestFinished(() => cluster.end().catch(() => {}));
  const core = (cluster as unknown as { poolCluster: mysql.PoolCluster }).poolCluster;
  return { cluster, core, limiter: cluster.limiter, events };
}

const told = (answer: Promise<unknown>) =>
  answer.then(
    () => 'ok',
    (error: Error) => error,
  );

describe('a rejection never counts against a node', () => {
  test.each([
    ['of()', (cluster: promises.PoolCluster) => cluster.of('*').query(sleeping(0.1))],
    ['of().execute', (cluster: promises.PoolCluster) => cluster.of('*', 'RANDOM').execute(sleeping(0.1))],
    [
      'getConnection',
      async (cluster: promises.PoolCluster) => {
        const connection = await cluster.getConnection('*', 'ORDER');
        await connection.query(sleeping(0.1));
        connection.release();
      },
    ],
  ])('%s', async (_, call) => {
    const { cluster, core, limiter, events } = clusterOf({ maxConcurrentOps: 2 });
    cluster.add('A', node());
    cluster.add('B', node());
    const results = await Promise.all(Array.from({ length: 60 }, () => told(call(cluster))));
    expect(results.filter((result) => result === 'ok')).toHaveLength(2);
    expect(results.filter((result) => result instanceof BackpressureError)).toHaveLength(58);
    const nodes = (core as unknown as { _nodes: Record<string, { errorCount: number }> })._nodes;
    expect(Object.values(nodes).map(({ errorCount }) => errorCount)).toEqual([0, 0]);
    expect([events, limiter.inFlight]).toEqual([[], 0]);
  });

  test('bare mysql2, with its own queueLimit: the cluster is emptied', async () => {
    const cluster = promises.createPoolCluster();
    const removed: string[] = [];
    cluster.on('remove', (id) => removed.push(id));
    cluster.add('A', node({ connectionLimit: 1, queueLimit: 1 }));
    await Promise.all(Array.from({ length: 8 }, () => told(cluster.of('*').query(sleeping(0.1)))));
    expect(removed).toContain('A');
    await cluster.end();
  });
});

describe('permits of a cluster', () => {
  test('are counted by node, and moved when the cluster tries another node', async () => {
    const { cluster, limiter, events } = clusterOf({ maxConcurrentOps: 5 }, { defaultSelector: 'ORDER' });
    cluster.add('A', DEAD);
    cluster.add('B', node());
    const connection = await cluster.getConnection();
    // Five times the dead one, which is then removed.
    expect(events.filter((event) => event === 'remove A')).toHaveLength(1);
    expect(limiter.stats()).toMatchObject({ inFlight: 1, admitted: 1, nodes: { B: { inFlight: 1 } } });
    connection.release();
    const { inFlight, overloaded, nodes } = limiter.stats();
    // It met overload on its way, though it was served.
    expect([inFlight, overloaded, nodes.B?.inFlight, nodes.A]).toEqual([0, 1, 0, undefined]);
  });

  test('come back when no node is left to ask', async () => {
    const { cluster, limiter } = clusterOf({ maxConcurrentOps: 5 });
    cluster.add('A', DEAD);
    expect(await told(cluster.of('*').query('select 1'))).toBeInstanceOf(Error);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, overloaded: 1 });
  });

  test('are not needed to hear that there is no such node', async () => {
    const { core, limiter } = clusterOf({ maxConcurrentOps: 1 });
    const permit = limiter.acquire();
    const errors: unknown[] = [];
    core.getConnection('nobody', (error) => errors.push(error));
    // Synchronously, as bare mysql2 says it.
    expect(errors).toMatchObject([{ code: 'POOL_NOEXIST' }]);
    permit.release();
  });

  test.each([
    ['end()', (cluster: promises.PoolCluster) => void cluster.end()],
    ['remove()', (_: promises.PoolCluster, core: mysql.PoolCluster) => core.remove('A')],
    [
      'remove() of the promise side',
      (cluster: promises.PoolCluster) => (cluster as unknown as mysql.PoolCluster).remove('A'),
    ],
  ])('come back after %s, when the connections are really free', async (_, close) => {
    const { cluster, core, limiter } = clusterOf({ maxConcurrentOps: 5 });
    cluster.add('A', node());
    await cluster.of('A').query('select 1');
    const running = cluster.of('A').query(sleeping(0.15));
    await cluster.getConnection('A');
    await operator.untilRunning(database);
    close(cluster, core);
    expect(limiter.inFlight).toBe(2);
    await running;
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
    expect(limiter.stats()).toMatchObject({ succeeded: 3, doubleReleases: 0, nodes: {} });
  });

  test('come back when a node is removed for its errors while a connection of it is held', async () => {
    const { cluster, limiter, events } = clusterOf({ maxConcurrentOps: 5 }, { removeNodeErrorCount: 1 });
    cluster.add('A', { ...node(), connectionLimit: 1, queueLimit: 1 });
    await cluster.getConnection('A');
    const waiting = told(cluster.getConnection('A'));
    // The queue is full: an error of the node's pool.
    expect(await told(cluster.getConnection('A'))).toBeInstanceOf(Error);
    expect(events).toContain('remove A');
    expect(await waiting).toBeInstanceOf(Error);
    await vi.waitFor(() => expect(limiter.inFlight).toBe(0));
  });
});

describe('a cluster is limited in all its parts', () => {
  test('nodes and namespaces that were there before', async () => {
    const cluster = mysql.createPoolCluster();
    onTestFinished(() => cluster.end());
    cluster.add('A', node());
    const namespace = cluster.of('A');
    const { limiter } = new LimitedMysql(cluster, { maxConcurrentOps: 1 });
    expect(cluster.of('A')).toBe(namespace);
    const permit = limiter.acquire();
    const error = await new Promise((resolve) => namespace.query('select 1', resolve));
    expect(error).toBeInstanceOf(BackpressureError);
    permit.release();
    expect(await new Promise((resolve) => namespace.query('select 1', resolve))).toBeNull();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, nodes: { A: { admitted: 1, inFlight: 0 } } });
  });

  test('a node that comes later, by either side', async () => {
    const { cluster, core, limiter } = clusterOf({ maxConcurrentOps: 5 });
    cluster.add('A', node());
    core.add('B', node());
    for (const id of ['A', 'B']) {
      const connection = await cluster.getConnection(id);
      expect(limiter.stats().nodes[id]).toMatchObject({ inFlight: 1 });
      connection.destroy();
      expect(limiter.stats().nodes[id]).toMatchObject({ inFlight: 0 });
    }
  });

  test('a drain refuses at its deadline what still waits for a connection', async () => {
    const { cluster, limiter } = clusterOf({ maxConcurrentOps: 5 });
    cluster.add('A', node({ connectionLimit: 1 }));
    const running = cluster.of('A').query(sleeping(0.2));
    const namespace = cluster.of('A');
    const waiting = [namespace.query('select 1'), namespace.getConnection()].map(told);
    await limiter.drain({ timeoutMs: 50 });
    expect(await Promise.all(waiting)).toMatchObject([
      { reason: 'draining', operation: 'query' },
      { reason: 'draining', operation: 'getConnection' },
    ]);
    await running;
    await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ state: 'drained', inFlight: 0 }));
  });
});
