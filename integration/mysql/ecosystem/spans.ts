import { createRequire } from 'node:module';
import { type Context, context, trace } from '@opentelemetry/api';
import { MySQL2Instrumentation } from '@opentelemetry/instrumentation-mysql2';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type mysql from 'mysql2';

/** mysql2 as an application has it that loads the instrumentation first; must not be imported before that. */
export interface Traced {
  readonly mysql: typeof mysql;
  readonly instrumentation: MySQL2Instrumentation;
  /** Runs something under a span of its own, and tells which spans came of it: `name < parent's name, status`. */
  spansOf(run: () => Promise<unknown>): Promise<string[]>;
}

/** Once in a process: modules are patched, and stay so. */
export function startTracing(): Traced {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  const instrumentation = new MySQL2Instrumentation();
  instrumentation.setTracerProvider(trace.getTracerProvider());
  instrumentation.enable();
  return {
    mysql: createRequire(import.meta.url)('mysql2'),
    instrumentation,
    async spansOf(run) {
      exporter.reset();
      const root = trace.getTracer('test').startSpan('root');
      const inside: Context = trace.setSpan(context.active(), root);
      await context.with(inside, run);
      root.end();
      const spans = exporter.getFinishedSpans();
      const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
      const parentOf = (id: string | undefined) => (id === undefined ? 'none' : (names.get(id) ?? 'unknown'));
      return spans
        .map(
          (span) => `${span.name} < ${parentOf(span.parentSpanContext?.spanId)}, status ${span.status.code}`,
        )
        .sort();
    },
  };
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
