import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { type Instrumented, instrument } from 'floodgate/opentelemetry';

/** Metrics of these clients at `/metrics` on a port of their own, which the load of the service doesn't reach. */
export async function exposeMetrics(port: number, clients: readonly Instrumented[]): Promise<MeterProvider> {
  // Started by hand: its constructor would keep it to itself that the port is taken.
  const exporter = new PrometheusExporter({ port, preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const meter = provider.getMeter('order-service');
  for (const client of clients) instrument(client, { meter });
  await exporter.startServer();
  return provider;
}
