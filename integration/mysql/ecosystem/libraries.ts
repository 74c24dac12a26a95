import { sql as drizzleSql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import knexFor from 'knex';
import { CompiledQuery, Kysely, MysqlDialect } from 'kysely';
import type mysql from 'mysql2';
import type { Pool as PromisePool } from 'mysql2/promise';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import type { Place } from '../support/place.js';
import { knexDialect } from './knex-dialect.js';

/** What any library on top of mysql2 can do. */
export interface Session extends AsyncDisposable {
  query(sql: string): Promise<unknown>;
  /** These, one after the other, in one transaction. */
  transaction(...statements: readonly string[]): Promise<unknown>;
}

type Driver = typeof mysql;

/** How many connections each may have. */
export const CONNECTIONS = 3;

/** Each over the driver that it is given, in the way that its documentation tells. */
export const libraries: Readonly<Record<string, (driver: Driver, place: Place) => Promise<Session>>> = {
  async drizzle(driver, place) {
    const pool = driver.createPool({ ...place, connectionLimit: CONNECTIONS });
    const db = drizzle(pool.promise() as PromisePool);
    return {
      query: (text) => db.execute(drizzleSql.raw(text)),
      transaction: (...statements) =>
        db.transaction((tx) => inTurn(statements, (text) => tx.execute(drizzleSql.raw(text)))),
      [Symbol.asyncDispose]: () => pool.promise().end(),
    };
  },

  async kysely(driver, place) {
    const pool = driver.createPool({ ...place, connectionLimit: CONNECTIONS });
    const db = new Kysely<object>({ dialect: new MysqlDialect({ pool }) });
    return {
      query: (text) => db.executeQuery(CompiledQuery.raw(text)),
      transaction: (...statements) =>
        db
          .transaction()
          .execute((trx) => inTurn(statements, (text) => trx.executeQuery(CompiledQuery.raw(text)))),
      [Symbol.asyncDispose]: () => db.destroy(),
    };
  },

  async knex(driver, place) {
    const knex = knexFor({
      client: knexDialect(driver),
      connection: { ...place },
      pool: { min: 0, max: CONNECTIONS },
      log: { warn() {} },
    });
    return {
      query: async (text) => knex.raw(text),
      transaction: (...statements) =>
        knex.transaction((trx) => inTurn(statements, async (text) => trx.raw(text))),
      [Symbol.asyncDispose]: () => knex.destroy(),
    };
  },

  async sequelize(driver, { user: username, ...place }) {
    const sequelize = new Sequelize({
      ...place,
      username,
      dialect: 'mysql',
      dialectModule: driver,
      pool: { max: CONNECTIONS },
      logging: false,
    });
    await sequelize.authenticate();
    return {
      query: (text) => sequelize.query(text),
      transaction: (...statements) =>
        sequelize.transaction((transaction) =>
          inTurn(statements, (text) => sequelize.query(text, { transaction })),
        ),
      [Symbol.asyncDispose]: () => sequelize.close(),
    };
  },

  async typeorm(driver, { user: username, ...place }) {
    const source = new DataSource({
      ...place,
      username,
      type: 'mysql',
      driver,
      poolSize: CONNECTIONS,
    });
    await source.initialize();
    return {
      query: (text) => source.query(text),
      transaction: (...statements) =>
        source.transaction((manager) => inTurn(statements, (text) => manager.query(text))),
      [Symbol.asyncDispose]: () => source.destroy(),
    };
  },
};

async function inTurn(
  statements: readonly string[],
  run: (statement: string) => Promise<unknown>,
): Promise<void> {
  for (const statement of statements) await run(statement);
}
