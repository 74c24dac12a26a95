import { setTimeout as sleep } from 'node:timers/promises';
import { BackpressureError } from 'floodgate';
import type mysql from 'mysql2';
import { expect, test } from 'vitest';
import { barePool, limitedPool } from '../support/client-under-test.js';
import { sharedMysql } from '../support/shared-server.js';

const url = await sharedMysql();
const CONNECTIONS = 5;
const config = { connectionLimit: CONNECTIONS };

/** As many transactions at once as there are connections, each of which asks the pool for a second one. */
async function transactionsWithinOthers(pool: mysql.Pool) {
  const one = async () => {
    const connection = await pool.promise().getConnection();
    try {
      await connection.beginTransaction();
      await connection.query('select sleep(0.02)');
      await pool.promise().query('select 1');
      await connection.commit();
      return 'done';
    } catch (error) {
      await connection.rollback();
      return error instanceof BackpressureError ? 'rejected' : error;
    } finally {
      connection.release();
    }
  };
  const all = Array.from({ length: CONNECTIONS }, () =>
    one().catch((error) => (error instanceof BackpressureError ? 'rejected' : error)),
  );
  return Promise.all(all.map((transaction) => Promise.race([transaction, sleep(1_500, 'hangs')])));
}

test('bare: N transactions that each need a second connection hang for ever (typeorm#4738, knex#1040)', async () => {
  await using bare = barePool(url, undefined, config);
  expect(await transactionsWithinOthers(bare.pool)).toEqual(new Array(CONNECTIONS).fill('hangs'));
});

test('limited to one less, with room for the inner ones: none hangs, all but one finish (typeorm#4738)', async () => {
  const options = { maxConcurrentOps: 10, bulkheads: { transaction: CONNECTIONS - 1 } };
  await using limited = limitedPool(url, undefined, options, config);
  const results = await transactionsWithinOthers(limited.pool);
  expect(results.sort()).toEqual([...new Array(CONNECTIONS - 1).fill('done'), 'rejected']);
  expect(limited.limiter.inFlight).toBe(0);
});
