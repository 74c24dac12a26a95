import type mysql from 'mysql2';
import { expect, test } from 'vitest';
import { heapBytes } from '../../field-cases/support/heap.js';
import { note } from '../../field-cases/support/note.js';
import { barePool, limitedPool } from '../support/client-under-test.js';
import { sharedMysql } from '../support/shared-server.js';

const url = await sharedMysql();
const CALLS = 20_000;

/** The heap that calls take while the pool's connections are busy; rejected ones are over by then. */
async function heapWhileBusy(pool: mysql.Pool): Promise<number> {
  await pool.promise().query('select 1');
  const before = await heapBytes();
  const running = Array.from({ length: 2 }, () => pool.promise().query('select sleep(1)'));
  let open = CALLS;
  for (let call = 0; call < CALLS; call++) {
    pool.query('select ?', ['x'.repeat(100)], () => open--);
  }
  const grown = (await heapBytes()) - before;
  await Promise.all(running);
  await expect.poll(() => open, { timeout: 20_000 }).toBe(0);
  return grown / CALLS;
}

test('calls over the limit leave nothing on the heap, those in line of a bare pool do (brianc/node-postgres#2894)', async () => {
  await using bare = barePool(url, undefined);
  const bytesInLine = await heapWhileBusy(bare.pool);
  await using limited = limitedPool(url, undefined, { maxConcurrentOps: 2 });
  const bytesRejected = await heapWhileBusy(limited.pool);
  note('bytes a call', { bytesInLine, bytesRejected });
  expect(bytesInLine).toBeGreaterThan(500);
  expect(bytesRejected).toBeLessThan(bytesInLine / 10);
  expect(limited.limiter.stats()).toMatchObject({ rejected: CALLS, inFlight: 0 });
});
