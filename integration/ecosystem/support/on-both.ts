import type { LimitedPool } from 'floodgate/pg';
import type pg from 'pg';
import { expect, inject } from 'vitest';
import { barePool, limitedPool } from '../../support/pool-under-test.js';
import { countListeners } from './count-listeners.js';
import { recordUnhandledRejections } from './unhandled-rejections.js';

/**
 * Lets a library do the same over a bare and over a limited pool: same results, same listeners on the pool and on its
 * clients, no rejection that nobody handles, and no permit kept.
 *
 * @returns the result
 */
export async function onBoth<T>(
  exercise: (pool: pg.Pool | LimitedPool) => Promise<T>,
  config: pg.PoolConfig = {},
): Promise<T> {
  const { url } = inject('postgres');
  using unhandled = recordUnhandledRejections();
  await using bare = barePool(url, config);
  const expected = { result: await exercise(bare.pool), listeners: listenersOf(bare.pool) };
  await using limited = limitedPool(url, { maxConcurrentOps: 100 }, config);
  const { pool, limiter } = limited;
  const actual = { result: await exercise(pool), listeners: listenersOf(pool) };
  expect(actual).toEqual(expected);
  expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, rejected: 0, doubleReleases: 0 });
  expect(limiter.stats().admitted).toBeGreaterThan(0);
  expect(unhandled.errors).toEqual([]);
  return actual.result;
}

function listenersOf(pool: pg.Pool): unknown {
  const clients = (pool as unknown as { _clients: readonly NodeJS.EventEmitter[] })._clients;
  return { pool: countListeners(pool), clients: new Set(clients.map(countListeners)) };
}
