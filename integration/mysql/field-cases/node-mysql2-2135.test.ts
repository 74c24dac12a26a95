import { BackpressureError } from 'floodgate';
import type mysql from 'mysql2';
import { expect, test } from 'vitest';
import { barePool, limitedPool } from '../support/client-under-test.js';
import { sharedMysql } from '../support/shared-server.js';

const url = await sharedMysql();
const config = { connectionLimit: 1, queueLimit: 1 };

/** Three slow calls at once: one runs, one waits, one is too many. */
async function threeCalls(pool: mysql.Pool): Promise<(Error & { code?: string })[]> {
  const call = () => pool.promise().query('select sleep(0.1)');
  const results = await Promise.allSettled([call(), call(), call()]);
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

test('bare: what is too many has no name (sidorares/node-mysql2#2135)', async () => {
  await using bare = barePool(url, undefined, config);
  const [error, ...others] = await threeCalls(bare.pool);
  expect(others).toEqual([]);
  expect([error?.message, error?.code]).toEqual(['Queue limit reached.', undefined]);
});

test('limited: it is an ERR_BACKPRESSURE, fit for a 503 with Retry-After (sidorares/node-mysql2#2135)', async () => {
  await using limited = limitedPool(url, undefined, { maxConcurrentOps: 2 }, config);
  const [error, ...others] = await threeCalls(limited.pool);
  expect(others).toEqual([]);
  expect(error).toBeInstanceOf(BackpressureError);
  expect(error).toMatchObject({
    code: 'ERR_BACKPRESSURE',
    statusCode: 503,
    retryAfterSeconds: 1,
    reason: 'limit',
  });
  expect(limited.limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 2, overloaded: 0 });
});
