import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import { limitClientClass } from 'floodgate/pg';
import pg from 'pg';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { limitedPool } from '../../support/pool-under-test.js';

/** How a call reaches the database: drizzle, Sequelize and TypeORM wrap the rejection, each in its own way. */
export const LIBRARIES = ['pg', 'drizzle', 'sequelize', 'typeorm'] as const;
export type Library = (typeof LIBRARIES)[number];

export interface SaturatedDatabase extends AsyncDisposable {
  /** Each rejects with a rejection, until `release()`; then with one row. */
  readonly calls: Readonly<Record<Library, () => Promise<unknown>>>;
  /** Rejections of the pool so far. */
  rejected(): number;
  /** A second time changes nothing. */
  release(): void;
}

const ONE = 'select 1 as one';

/** A limit of 1, held, in front of a real pool with a real connection; and the same for the libraries' own pools. */
export async function saturateDatabase(url: string): Promise<SaturatedDatabase> {
  const { pool, limiter, ...underTest } = limitedPool(url, { maxConcurrentOps: 1 }, { max: 1 });
  const db = drizzle({ client: pool });
  let client: pg.PoolClient | undefined = await pool.connect();

  const SequelizeClient = limitClientClass(pg.Client, { maxConcurrentOps: 5 });
  const sequelize = new Sequelize(url, {
    dialectModule: { ...pg, Client: SequelizeClient },
    pool: { max: 1 },
    logging: false,
  });
  await sequelize.authenticate();

  const TypeormClient = limitClientClass(pg.Client, { maxConcurrentOps: 5 });
  const source = new DataSource({
    type: 'postgres',
    url,
    driver: pg,
    extra: { max: 1, Client: TypeormClient },
  });
  await source.initialize();

  const limiters = [SequelizeClient.limiter, TypeormClient.limiter];
  // The set-up of a new connection may still hold a permit.
  while (limiters.some((own) => own.inFlight > 0)) await sleep(1);
  const permits = limiters.map((own) => {
    own.resize(1);
    return own.acquire();
  });

  return {
    calls: {
      pg: async () => (await pool.query(ONE)).rows,
      drizzle: async () => (await db.execute(ONE)).rows,
      sequelize: async () => (await sequelize.query(ONE))[0],
      typeorm: () => source.query(ONE),
    },
    rejected: () => limiter.stats().rejected,
    release() {
      client?.release();
      client = undefined;
      for (const permit of permits.splice(0)) permit.release();
    },
    async [Symbol.asyncDispose]() {
      await underTest[Symbol.asyncDispose]();
      await Promise.all([sequelize.close(), source.destroy()]);
    },
  };
}
