import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where what Prometheus and Grafana are given lies. */
export const dockerFolder = fileURLToPath(new URL('../../../docker/', import.meta.url));

export function shippedFile(path: string): string {
  return readFileSync(`${dockerFolder}${path}`, 'utf8');
}

export interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly Annotation[] };
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource: DataSource;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly datasource: DataSource;
  }[];
}

interface Variable {
  readonly name: string;
  readonly datasource: DataSource;
  readonly definition: string;
  readonly query: { readonly query: string };
}

interface Annotation {
  readonly name: string;
  readonly datasource: DataSource;
  readonly expr: string;
}

interface DataSource {
  readonly type: string;
  readonly uid: string;
}

export function shippedDashboard(): Dashboard {
  return JSON.parse(shippedFile('grafana/dashboards/floodgate.json'));
}

export interface Query {
  /** Panel or annotation, and the letter of the query. */
  readonly where: string;
  readonly expr: string;
}

/** Every query of a dashboard. */
export function queriesOf({ panels, annotations }: Dashboard): readonly Query[] {
  return [
    ...panels.flatMap(({ title, targets }) =>
      targets.map(({ refId, expr }) => ({ where: `${title} ${refId}`, expr })),
    ),
    ...annotations.list.map(({ name, expr }) => ({ where: name, expr })),
  ];
}

/** Its expression as Grafana sends it, with everything chosen. */
export function asSent(expression: string, rateInterval: string): string {
  return expression.replace(/\$(job|limiter)\b/g, '.*').replaceAll('$__rate_interval', rateInterval);
}

/**
 * The shipped rules with minutes shortened to seconds, so that a test sees an alert fire and clear. What is compared with
 * what stays as it is.
 */
export function quickRules(): string {
  const quick = shippedFile('prometheus/floodgate.rules.yml')
    .replaceAll('[5m]', '[6s]')
    .replace(/for: \d+m$/gm, 'for: 1s')
    .replace('floodgate_permit_oldest_age > 300', 'floodgate_permit_oldest_age > 2');
  const left = quick.match(/\[\d+m\]|for: \d+m|> 300/);
  if (left !== null) throw new Error(`the test does not know how to shorten '${left[0]}'`);
  return quick;
}
