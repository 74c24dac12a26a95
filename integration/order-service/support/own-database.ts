import pg from 'pg';
import { uniqueName } from '../../support/pool-under-test.js';

/** An empty database on the shared server, gone when the test is. */
export interface OwnDatabase extends AsyncDisposable {
  readonly url: string;
}

export async function createOwnDatabase(postgresUrl: string): Promise<OwnDatabase> {
  const name = uniqueName();
  await execute(postgresUrl, `create database "${name}"`);
  return {
    url: Object.assign(new URL(postgresUrl), { pathname: `/${name}` }).href,
    [Symbol.asyncDispose]: () => execute(postgresUrl, `drop database "${name}" with (force)`),
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
