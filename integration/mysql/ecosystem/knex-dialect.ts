import { createRequire } from 'node:module';
import type { Knex } from 'knex';

const Mysql2Dialect = createRequire(import.meta.url)('knex/lib/dialects/mysql2') as typeof Knex.Client;

/** knex' own dialect over this driver, with a pool of knex' own. */
export function knexDialect(driver: object): typeof Knex.Client {
  return class extends Mysql2Dialect {
    _driver() {
      return driver;
    }
  };
}
