import { createRequire } from 'node:module';
import { MySQL2Instrumentation } from '@opentelemetry/instrumentation-mysql2';
import type mysql from 'mysql2';
import { collectSpans, type SpansOf } from '../../support/collect-spans.js';

/** mysql2 as an application has it that loads the instrumentation first; must not be imported before that. */
export interface Traced {
  readonly mysql: typeof mysql;
  readonly instrumentation: MySQL2Instrumentation;
  readonly spansOf: SpansOf;
}

/** Once in a process. */
export function startTracing(): Traced {
  const instrumentation = new MySQL2Instrumentation();
  const spansOf = collectSpans(instrumentation);
  return { mysql: createRequire(import.meta.url)('mysql2'), instrumentation, spansOf };
}

/** Every way that a pool and a connection are used. */
export async function useMysql(pool: mysql.Pool, connection: mysql.Connection): Promise<void> {
  for (const client of [pool, connection] as const) {
    await client.promise().query('select 1');
    await client.promise().execute('select ?', [1]);
    await new Promise((resolve) => client.query('select 2', resolve));
    await client
      .promise()
      .query('select n from nothing')
      .catch(() => {});
    await new Promise((resolve) => client.query('select 3').once('end', resolve));
    for await (const _ of client.query('select 4').stream());
  }
  const held = await pool.promise().getConnection();
  await held.beginTransaction();
  await held.query('select 5');
  await held.commit();
  held.release();
}
