import { Limiter } from 'floodgate';
import { LimitedMysql } from 'floodgate/mysql2';
import mysql from 'mysql2';
import { describe, expect, test } from 'vitest';
import { freeHeap } from '../field-cases/support/heap.js';
import { startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import { poolConfig } from './support/client-under-test.js';
import { sharedMysql } from './support/shared-server.js';
import { sleeping } from './work.js';

const url = await sharedMysql();
const limiter = new Limiter({ maxConcurrentOps: 50 });
let registered = 0;

// What a client leaves at its limiter's gate until it takes it away again.
const { gate } = limiter;
const { onDrainDeadline } = gate;
gate.onDrainDeadline = (refuseWaiting) => {
  registered++;
  const forget = onDrainDeadline.call(gate, refuseWaiting);
  return () => {
    registered--;
    return forget();
  };
};

interface Short {
  readonly client: object;
  query(): Promise<unknown>;
  end(): Promise<unknown>;
}

const clients: readonly (readonly [string, () => Short])[] = [
  [
    'pool',
    () => {
      const client = new LimitedMysql(mysql.createPool, { limiter }, poolConfig(url, undefined, {}));
      const pool = client.promise();
      return { client, query: () => pool.query('select 1'), end: () => pool.end() };
    },
  ],
  [
    'cluster',
    () => {
      const client = new LimitedMysql(mysql.createPoolCluster, { limiter });
      client.add('A', poolConfig(url, undefined, {}));
      return {
        client,
        query: () => new Promise((resolve) => client.of('*').query('select 1', resolve)),
        end: () => new Promise((resolve) => client.end(resolve)),
      };
    },
  ],
  [
    'connection',
    () => {
      const client = new LimitedMysql(mysql.createConnection, { limiter }, poolConfig(url, undefined, {}));
      const connection = client.promise();
      return { client, query: () => connection.query('select 1'), end: () => connection.end() };
    },
  ],
];

async function useAndEnd(make: () => Short): Promise<WeakRef<object>> {
  const { client, query, end } = make();
  await query();
  await end();
  return new WeakRef(client);
}

describe.each(clients)('a limiter that outlives its clients', (name, make) => {
  test(`keeps none of those that were ended (${name})`, async () => {
    const ended: WeakRef<object>[] = [];
    for (let count = 0; count < 10; count++) ended.push(await useAndEnd(make));
    await expect
      .poll(async () => {
        await freeHeap();
        return ended.filter((client) => client.deref() !== undefined).length;
      })
      .toBe(0);
    expect(registered).toBe(0);
  });
});

test('a pool that was ended while callers waited still hears of a drain', async () => {
  const { hostname, port } = new URL(url);
  await using proxy = await startFaultProxy({ host: hostname, port: Number(port) });
  proxy.pause();
  const own = new Limiter({ maxConcurrentOps: 5 });
  const config = poolConfig(throughProxy(url, proxy), undefined, { connectionLimit: 1 });
  const pool = new LimitedMysql(mysql.createPool, { limiter: own }, config).promise();
  const waiting = pool.query(sleeping(1)).catch((error) => error);
  void pool.end().catch(() => {});
  await own.drain({ timeoutMs: 20 });
  expect(await waiting).toMatchObject({ name: 'BackpressureError', reason: 'draining' });
  expect(own.stats()).toMatchObject({ inFlight: 0, ignored: 1 });
});
