import { createRequire } from 'node:module';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import type pg from 'pg';
import { collectSpans, type SpansOf } from '../../support/collect-spans.js';

/** pg as an application has it that loads the instrumentation first; must not be imported before that. */
export interface Traced {
  readonly pg: typeof pg;
  readonly instrumentation: PgInstrumentation;
  readonly spansOf: SpansOf;
}

/** Once in a process. */
export function startTracing(): Traced {
  const instrumentation = new PgInstrumentation();
  const spansOf = collectSpans(instrumentation);
  return { pg: createRequire(import.meta.url)('pg'), instrumentation, spansOf };
}

/** Every way that a pool is used, twice: with a new connection, and with one that is there. */
export async function usePool(pool: pg.Pool): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await pool.query('select 1');
    await pool.query({ text: 'select $1::int', values: [1], name: 'named' });
    await new Promise((resolve) => pool.query('select 2', resolve));
    await pool.query('select 1 / 0').catch(() => {});
    const client = await pool.connect();
    await client.query('begin');
    await client.query('insert into pg_temp.none values (1)').catch(() => {});
    await new Promise((resolve) => client.query('rollback', resolve));
    client.release();
    await new Promise<void>((resolve) => {
      pool.connect((_error, connected, release) => {
        connected!.query('select 3', () => {
          release();
          resolve();
        });
      });
    });
  }
}
