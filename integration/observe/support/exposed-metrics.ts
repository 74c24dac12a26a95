import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { freePort } from '../../support/servers/shared/free-port.js';
import { type Exposition, scrape } from './exposition.js';

/** Metrics of this process, as OpenTelemetry's own exporter serves them to Prometheus. */
export interface ExposedMetrics extends AsyncDisposable {
  readonly meter: Meter;
  /** `127.0.0.1:port`, as a target of Prometheus. */
  readonly target: string;
  scrape(): Promise<Exposition>;
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
    scrape: () => scrape(`http://${target}/metrics`),
    [Symbol.asyncDispose]: () => provider.shutdown(),
  };
}
