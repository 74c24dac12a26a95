import { once } from 'node:events';
import { LimitedMysql } from 'floodgate/mysql2';
import { expect, test } from 'vitest';
import { startTracing, useMysql } from './spans.js';

const { mysql, instrumentation, spansOf } = startTracing();
// These load mysql2, which must not have been loaded before.
const { sharedMysql } = await import('../support/shared-server.js');
const { poolConfig } = await import('../support/client-under-test.js');
const url = await sharedMysql();
const config = poolConfig(url, undefined, {});

async function limitedOnes() {
  const pool = new LimitedMysql(mysql.createPool, {}, config);
  const connection = new LimitedMysql(mysql.createConnection, { limiter: pool.limiter }, config);
  await once(connection, 'connect');
  return { pool, connection };
}

test('@opentelemetry/instrumentation-mysql2, patched after the client was limited, sees the same spans', async () => {
  // Patched last: its hooks stand on the prototypes, below ours on the instances.
  instrumentation.disable();
  const limited = await limitedOnes();
  instrumentation.enable();
  const bare = { pool: mysql.createPool(config), connection: mysql.createConnection(config) };
  const expected = await spansOf(() => useMysql(bare.pool, bare.connection));
  expect(expected.length).toBeGreaterThan(10);
  expect(await spansOf(() => useMysql(limited.pool, limited.connection))).toEqual(expected);
  await expect.poll(() => limited.pool.limiter.inFlight).toBe(0);
  expect(limited.pool.limiter.stats()).toMatchObject({ rejected: 0, doubleReleases: 0 });
  expect(instrumentation.isEnabled()).toBe(true);
  for (const client of [...Object.values(bare), ...Object.values(limited)]) client.end();
});
