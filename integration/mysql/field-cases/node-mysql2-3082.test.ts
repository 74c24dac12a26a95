import { setTimeout as sleep } from 'node:timers/promises';
import type mysql from 'mysql2';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { barePool, limitedPool, uniqueName } from '../support/client-under-test.js';
import { type Operator, openOperator } from '../support/operator.js';
import { sharedMysql } from '../support/shared-server.js';
import { manyRows } from '../work.js';

const url = await sharedMysql();
const database = uniqueName();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.createDatabase(database);
});
afterAll(() => operator[Symbol.asyncDispose]());

/** Reads the first rows of many, and then the connection is lost. */
async function lostUnderStream(pool: mysql.Pool): Promise<string[]> {
  const stream = pool.query({ ...manyRows }).stream();
  const heard: string[] = [];
  for (const event of ['error', 'end', 'close']) stream.on(event, () => heard.push(event));
  await new Promise((resolve) => stream.once('data', resolve));
  stream.pause();
  await operator.kill(database);
  stream.resume();
  await sleep(150);
  return heard;
}

test('bare: nobody is told when the connection is lost under a stream (sidorares/node-mysql2#3082)', async () => {
  await using bare = barePool(url, database);
  expect(await lostUnderStream(bare.pool)).toEqual([]);
});

test('limited: the permit comes back, and the pool serves (sidorares/node-mysql2#3082)', async () => {
  await using limited = limitedPool(url, database, { maxConcurrentOps: 1 });
  const { pool, limiter } = limited;
  await lostUnderStream(pool);
  await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, overloaded: 1 }));
  await pool.promise().query('select 1');
});
