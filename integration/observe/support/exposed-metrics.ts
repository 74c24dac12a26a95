import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { freePort } from '../../support/servers/shared/free-port.js';

/** Metrics of this process, as OpenTelemetry's own exporter serves them to Prometheus. */
export interface ExposedMetrics extends AsyncDisposable {
  readonly meter: Meter;
  /** `127.0.0.1:port`, as a target of Prometheus. */
  readonly target: string;
  scrape(): Promise<Exposition>;
}

export interface Exposition {
  /** As it was served. */
  readonly text: string;
  /** Type of each metric, by name: `counter`, `gauge`, `histogram`. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly ExposedSample[];
}

export interface ExposedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export async function exposeMetrics(): Promise<ExposedMetrics> {
  const port = await freePort();
  const exporter = new PrometheusExporter({ host: '127.0.0.1', port, preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  await exporter.startServer();
  const target = `127.0.0.1:${port}`;
  return {
    meter: provider.getMeter('floodgate'),
    target,
    async scrape() {
      const answer = await fetch(`http://${target}/metrics`);
      return parse(await answer.text());
    },
    [Symbol.asyncDispose]: () => provider.shutdown(),
  };
}

/** The text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
function parse(text: string): Exposition {
  const types = new Map<string, string>();
  const samples: ExposedSample[] = [];
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type !== null) types.set(type[1]!, type[2]!);
    const sample = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (sample !== null)
      samples.push({ name: sample[1]!, labels: labelsOf(sample[2]), value: Number(sample[3]) });
  }
  return { text, types, samples };
}

function labelsOf(text = ''): Record<string, string> {
  const labels = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(labels.map(([, name, value]) => [name!, value!]));
}
