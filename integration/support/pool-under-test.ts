import { setTimeout as sleep } from 'node:timers/promises';
import type { Limiter } from 'floodgate';
import { LimitedPool, type LimitedPoolOptions } from 'floodgate/pg';
import pg from 'pg';

/** A pool of one test: its connections are recognised by `name`, and it is gone when the test is, held clients or not. */
export interface PoolUnderTest<P extends pg.Pool = pg.Pool> extends AsyncDisposable {
  readonly pool: P;
  /** `application_name` of its connections. */
  readonly name: string;
}

export interface LimitedPoolUnderTest extends PoolUnderTest<LimitedPool> {
  readonly limiter: Limiter;
}

export function limitedPool(
  url: string,
  options: LimitedPoolOptions,
  config: pg.PoolConfig = {},
): LimitedPoolUnderTest {
  const name = uniqueName();
  const pool = new LimitedPool(pg.Pool, options, poolConfig(url, name, config));
  return { ...underTest(pool, name), limiter: pool.limiter };
}

export function barePool(url: string, config: pg.PoolConfig = {}): PoolUnderTest {
  const name = uniqueName();
  return underTest(new pg.Pool(poolConfig(url, name, config)), name);
}

/** For a pool that the test makes in its own way. */
export function underTest<P extends pg.Pool>(pool: P, name: string): PoolUnderTest<P> {
  // As every application should: without it, a killed idle connection ends the process.
  pool.on('error', ignore);
  return { pool, name, [Symbol.asyncDispose]: () => closePool(pool) };
}

export function poolConfig(url: string, name: string, config: pg.PoolConfig): pg.PoolConfig {
  return { connectionString: url, application_name: name, max: 2, ...config };
}

let count = 0;

export function uniqueName(): string {
  count++;
  return `floodgate-${process.pid}-${count}`;
}

/** Ends a pool that may still have clients out: a failed test must not leave connections to the next one. */
async function closePool(pool: pg.Pool): Promise<void> {
  const ended = pool.ended ? undefined : pool.ending ? untilEnded(pool) : pool.end();
  if (pool.totalCount > pool.idleCount) {
    const clients = (pool as unknown as { _clients: readonly ClientInternals[] })._clients;
    for (const client of clients) {
      client.on('error', ignore);
      client.connection?.stream.destroy();
    }
    await Promise.race([ended, sleep(200)]);
    return;
  }
  await ended;
}

interface ClientInternals extends NodeJS.EventEmitter {
  readonly connection?: { readonly stream: { destroy(): void } };
}

async function untilEnded(pool: pg.Pool): Promise<void> {
  for (let waited = 0; !pool.ended && waited < 1_000; waited += 5) await sleep(5);
}

function ignore(): void {}
