import { LimitedPool } from 'floodgate/pg';
import pg from 'pg';
import { expect } from 'vitest';
import { poolConfig, underTest, uniqueName } from '../support/pool-under-test.js';

/** What somebody can see of a pool; run on a bare and on a limited one, the two records must be the same. */
export interface Probe {
  readonly behaviour: string;
  readonly config?: pg.PoolConfig;
  readonly Pool?: typeof pg.Pool;
  readonly look: (pool: pg.Pool) => Promise<unknown>;
  /** What is to be seen. */
  readonly record: unknown;
  /** Where the limited pool is to differ, which is documented. */
  readonly limited?: unknown;
}

export async function expectTheSame(url: string, probe: Probe): Promise<void> {
  const { config = {}, Pool = pg.Pool, look, record, limited = record } = probe;
  const bare = await onPool(new Pool(poolConfig(url, uniqueName(), config)), look);
  expect({ bare }).toEqual({ bare: record });
  const pool = new LimitedPool(Pool, { maxConcurrentOps: 100 }, poolConfig(url, uniqueName(), config));
  const { limiter } = pool;
  expect({ limited: await onPool(pool, look) }).toEqual({ limited });
  const { admitted, succeeded, failed, overloaded, ignored, running, inFlight } = limiter.stats();
  expect(admitted).toBe(succeeded + failed + overloaded + ignored + running);
  expect(inFlight).toBe(0);
}

async function onPool(pool: pg.Pool, look: Probe['look']): Promise<unknown> {
  await using under = underTest(pool, '');
  return await look(under.pool);
}

/** What a call does at once, and what becomes of it. */
export async function fate(call: () => unknown): Promise<string> {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    return `throws ${(error as Error).message}`;
  }
  if (!(result instanceof Promise)) return `returns ${typeof result}`;
  return result.then(
    () => 'resolves',
    (error: Error) => `rejects with ${error.message}`,
  );
}
