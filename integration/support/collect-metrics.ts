import type { Attributes, Meter } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

/** An SDK that exports into memory, when it is asked to. */
export interface CollectedMetrics extends AsyncDisposable {
  readonly provider: MeterProvider;
  readonly meter: Meter;
  /** Collects now; metrics by name, as they were exported. */
  collect(): Promise<Readonly<Record<string, MetricData>>>;
  /** Collects now; values of one metric with their attributes, in a fixed order. */
  series(name: string): Promise<Series[]>;
}

export type Series = readonly [attributes: Attributes, value: unknown];

export function collectMetrics(): CollectedMetrics {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const provider = new MeterProvider({ readers: [reader] });
  const collect = async () => {
    exporter.reset();
    await provider.forceFlush();
    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return Object.fromEntries(
      metrics.flatMap((scope) => scope.metrics.map((metric) => [metric.descriptor.name, metric])),
    );
  };
  return {
    provider,
    meter: provider.getMeter('floodgate'),
    collect,
    async series(name) {
      const points = (await collect())[name]?.dataPoints ?? [];
      return points
        .map(({ attributes, value }): Series => [attributes, value])
        .sort(([a], [b]) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    },
    [Symbol.asyncDispose]: () => provider.shutdown(),
  };
}
