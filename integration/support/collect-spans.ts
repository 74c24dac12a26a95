import { type Context, context, type TracerProvider, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

/** What an instrumentation of OpenTelemetry has, of whichever library. */
export interface Instrumentation {
  setTracerProvider(provider: TracerProvider): void;
  enable(): void;
}

/** Runs something under a span of its own, and tells which spans came of it: `name < parent's name, status`. */
export type SpansOf = (run: () => Promise<unknown>) => Promise<string[]>;

/** Once in a process: modules are patched, and stay so; what is patched must not be imported before. */
export function collectSpans(instrumentation: Instrumentation): SpansOf {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  instrumentation.setTracerProvider(trace.getTracerProvider());
  instrumentation.enable();
  return async (run) => {
    exporter.reset();
    const root = trace.getTracer('test').startSpan('root');
    const inside: Context = trace.setSpan(context.active(), root);
    await context.with(inside, run);
    root.end();
    const spans = exporter.getFinishedSpans();
    const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
    const parentOf = (id: string | undefined) => (id === undefined ? 'none' : (names.get(id) ?? 'unknown'));
    return spans
      .map((span) => `${span.name} < ${parentOf(span.parentSpanContext?.spanId)}, status ${span.status.code}`)
      .sort();
  };
}
