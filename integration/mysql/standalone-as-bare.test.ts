import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LimitedMysql } from 'floodgate/mysql2';
import mysql from 'mysql2';
import { describe, expect, test, vi } from 'vitest';
import { type FaultProxy, startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import { poolConfig } from './support/client-under-test.js';
import { sharedMysql } from './support/shared-server.js';

const url = await sharedMysql();

type Make = (config: mysql.ConnectionOptions) => mysql.Connection;
const bare: Make = (config) => mysql.createConnection(config);
const limited: Make = (config) => new LimitedMysql(mysql.createConnection, { maxConcurrentOps: 4 }, config);

interface Scene {
  readonly connection: mysql.Connection;
  readonly proxy: FaultProxy;
  /** What its user hears, in order. */
  readonly heard: string[];
}

/** What becomes of a connection after an error inside a transaction. */
async function heardAfterError(make: Make, then: (scene: Scene) => unknown): Promise<string[]> {
  const { hostname, port } = new URL(url);
  await using proxy = await startFaultProxy({ host: hostname, port: Number(port) });
  const connection = make(poolConfig(throughProxy(url, proxy), undefined, {}));
  const heard: string[] = [];
  connection.on('error', (error: NodeJS.ErrnoException) => heard.push(`'error' ${error.code}`));
  await once(connection, 'connect');
  await connection.promise().query('begin');
  // What follows is done before the ping that asks about the transaction.
  await connection
    .promise()
    .query('select nothing')
    .catch((error) => heard.push(error.code));
  await then({ connection, proxy, heard });
  await sleep(50);
  connection.destroy();
  proxy.drop();
  if (connection instanceof LimitedMysql) {
    const { limiter } = connection;
    await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, doubleReleases: 0 }));
  }
  return heard;
}

const callback =
  ({ heard }: Scene) =>
  (error: NodeJS.ErrnoException | null) => {
    heard.push(`callback ${error?.code ?? error?.errno}`);
  };

describe('after an error in a transaction, the user of a connection hears what one of a bare one hears', () => {
  test.each<[string, (scene: Scene) => unknown, string[]]>([
    [
      'the network goes silent, and cuts it',
      async ({ proxy }) => {
        proxy.pause();
        await sleep(50);
        proxy.drop();
      },
      ["'error' ECONNRESET"],
    ],
    [
      'the same, with a query on its way',
      async (scene) => {
        scene.proxy.pause();
        await sleep(50);
        scene.connection.query('select 1', callback(scene));
        await sleep(50);
        scene.proxy.drop();
      },
      ['callback ECONNRESET'],
    ],
    [
      'the same, with a query that has no callback',
      async (scene) => {
        scene.proxy.pause();
        await sleep(50);
        scene.connection.query('select 1');
        await sleep(50);
        scene.proxy.drop();
      },
      ["'error' ECONNRESET"],
    ],
    ['it is cut at once', ({ proxy }) => proxy.drop(), ["'error' ECONNRESET"]],
    [
      'it kills itself',
      (scene) => void scene.connection.query('kill connection_id()', callback(scene)),
      ['callback 1927', "'error' PROTOCOL_CONNECTION_LOST"],
    ],
    [
      'it is refused as another user',
      async (scene) => {
        scene.connection.changeUser({ password: 'no' }, callback(scene));
        await vi.waitFor(() => expect(scene.heard).toHaveLength(2), 5_000);
      },
      ['callback ER_ACCESS_DENIED_ERROR'],
    ],
    ['it is destroyed', ({ connection }) => connection.destroy(), []],
    [
      'the network goes silent, and it is destroyed',
      async ({ connection, proxy }) => {
        proxy.pause();
        await sleep(50);
        connection.destroy();
      },
      [],
    ],
  ])('(%s)', async (_, then, expected) => {
    const byBare = await heardAfterError(bare, then);
    expect(byBare).toEqual(['ER_BAD_FIELD_ERROR', ...expected]);
    expect(await heardAfterError(limited, then)).toEqual(byBare);
  });
});
