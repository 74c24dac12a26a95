import { createRequire } from 'node:module';
import { type Context, context, trace } from '@opentelemetry/api';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type pg from 'pg';

/** pg as an application has it that loads the instrumentation first; must not be imported before that. */
export interface Traced {
  readonly pg: typeof pg;
  readonly instrumentation: PgInstrumentation;
  /** Runs something under a span of its own, and tells which spans came of it: `name < parent's name`. */
  spansOf(run: () => Promise<unknown>): Promise<string[]>;
}

/** Once in a process: modules are patched, and stay so. */
export function startTracing(): Traced {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  const instrumentation = new PgInstrumentation();
  instrumentation.setTracerProvider(trace.getTracerProvider());
  instrumentation.enable();
  return {
    pg: createRequire(import.meta.url)('pg'),
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
