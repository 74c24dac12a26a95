import { instrument } from 'floodgate/opentelemetry';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { limitedPool } from '../support/pool-under-test.js';
import { exposeMetrics } from './support/exposed-metrics.js';
import type { Exposition } from './support/exposition.js';
import { queriesOf, shippedDashboard, shippedFile } from './support/shipped.js';

const dashboard = shippedDashboard();
const { panels, templating, annotations } = dashboard;

describe('the dashboard', () => {
  test('has a name of its own for every panel, variable and query', () => {
    const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length;
    expect(isUnique(panels.map(({ id }) => id))).toBe(true);
    expect(isUnique(panels.map(({ title }) => title))).toBe(true);
    expect(isUnique(templating.list.map(({ name }) => name))).toBe(true);
    for (const { targets } of panels) expect(isUnique(targets.map(({ refId }) => refId))).toBe(true);
    expect(panels.map(({ id }) => id)).toEqual(panels.map((_, index) => index + 1));
  });

  test('asks only the data source that is provisioned', () => {
    const [, uid] = /^ +uid: (\S+)$/m.exec(shippedFile('grafana/provisioning/datasources/prometheus.yml'))!;
    const asked = [
      ...panels.flatMap((panel) => [panel.datasource, ...panel.targets.map((target) => target.datasource)]),
      ...templating.list.map(({ datasource }) => datasource),
      ...annotations.list.map(({ datasource }) => datasource),
    ];
    expect(asked).toEqual(asked.map(() => ({ type: 'prometheus', uid })));
  });

  test('has panels that lie on its 24 columns, none on another', () => {
    const taken = new Map<string, string>();
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, taken.get(`${x} ${y}`)]).toEqual([title, undefined]);
          taken.set(`${x} ${y}`, title);
        }
      }
    }
  });

  test('shows what operators ask for', () => {
    const titles = [
      'Limit against permits in flight',
      'Admitted and rejected, by reason',
      'Latency of operations',
    ];
    expect(panels.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        ...titles,
        'Wait for a connection of the pool',
        'Changes of the limit, by reason',
      ]),
    );
    expect(annotations.list.map(({ name }) => name)).toEqual(['Changes of the limit', 'Alerts']);
  });

  test('uses no variable that it does not have', () => {
    const builtIn = ['__rate_interval'];
    const known = [...builtIn, ...templating.list.map(({ name }) => name)];
    const used = queriesOf(dashboard).flatMap(({ expr }) =>
      [...expr.matchAll(/\$(\w+)/g)].map(([, name]) => name),
    );
    expect([...new Set(used)].filter((name) => !known.includes(name!))).toEqual([]);
    for (const { definition, query } of templating.list) expect(query.query).toBe(definition);
  });
});

const { url } = inject('postgres');
let exposition: Exposition;

/** A pool with an adaptive limit of which every instrument has something to tell. */
beforeAll(async () => {
  await using exposed = await exposeMetrics();
  await using under = limitedPool(url, { maxConcurrentOps: 9, adaptive: { initial: 2 } }, { max: 1 });
  instrument(under.pool, { meter: exposed.meter });
  const queries = ['select 1', 'select 1 / 0', 'select 1'];
  const answers = await Promise.allSettled(queries.map((query) => under.pool.query(query)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  exposition = await exposed.scrape();
});

/** A name outside of quotes and braces that is no word of PromQL. */
const WORDS = new Set([
  ...['sum', 'max', 'by', 'on', 'and', 'or', 'rate', 'increase', 'avg_over_time', 'histogram_quantile'],
  'label_values',
]);

function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|on) *\([^)]*\)/g, '');
  return [...bare.matchAll(/(?<![\w$:])[a-zA-Z_][\w:]*/g)]
    .map(([name]) => name)
    .filter((name) => !WORDS.has(name));
}

/** Labels that a query matches or groups by. */
function labelsIn(expression: string): string[] {
  const matched = [...expression.matchAll(/(\w+) *(?:=~|!~|!=|=) *"/g)].map(([, label]) => label!);
  const grouped = [...expression.matchAll(/\b(?:by|on) *\(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(/, */),
  );
  return [...matched, ...grouped];
}

/** Prometheus adds these. */
const TARGET_LABELS = ['job', 'instance'];

/** Recorded by our own rules, or made by Prometheus itself. */
const rules = shippedFile('prometheus/floodgate.rules.yml');
const recorded = [...rules.matchAll(/record: (\S+)/g)].map(([, name]) => name!);
const ruleQueries = rules
  .split(/^ +- (?=record:|alert:)/m)
  .slice(1)
  .map((rule) => ({
    where: /(?:record|alert): (\S+)/.exec(rule)![1]!,
    expr: /expr: (?:\|\n([\s\S]*?)(?=\n {8}\w+:|\n\n|$)|(.*))/.exec(rule)!.slice(1).join(''),
  }));
const queries = [
  ...queriesOf(dashboard),
  ...templating.list.map(({ name, definition }) => ({
    where: `variable ${name}`,
    expr: definition.replace(/, \w+\)$/, ')'),
  })),
];

test('the rules and their queries are found', () => {
  expect(ruleQueries.map(({ where }) => where)).toEqual([
    ...recorded,
    'FloodgateOverloaded',
    'FloodgateLimitPinnedAtMin',
    'FloodgatePermitHeldTooLong',
  ]);
  expect(metricsIn(ruleQueries[3]!.expr)).toEqual(recorded);
  expect(metricsIn(ruleQueries[4]!.expr)).toEqual([
    'floodgate_limit',
    'floodgate_limit_min',
    'floodgate_rejected_total',
  ]);
  expect(queries).toHaveLength(25);
});

describe('every query asks for what the exporter exposes:', () => {
  test.each([...queries, ...ruleQueries])('$where', ({ expr }) => {
    const metrics = metricsIn(expr).filter((name) => name !== 'ALERTS' && !recorded.includes(name));
    const exposed = new Set(exposition.samples.map(({ name }) => name));
    expect(metrics.filter((name) => !exposed.has(name))).toEqual([]);
    if (metrics.length === 0) return;
    const labels = exposition.samples
      .filter(({ name }) => metrics.includes(name))
      .flatMap((sample) => Object.keys(sample.labels));
    expect(labelsIn(expr).filter((label) => ![...labels, ...TARGET_LABELS].includes(label))).toEqual([]);
  });

  test('and every metric is shown or watched', () => {
    const asked = new Set([...queries, ...ruleQueries].flatMap(({ expr }) => metricsIn(expr)));
    const names = [...exposition.types.keys()].filter((name) => name !== 'target_info');
    const unseen = names.filter(
      (name) => ![...asked].some((each) => each.replace(/_(bucket|count|sum)$/, '') === name),
    );
    expect(unseen).toEqual(['floodgate_limit_max']);
  });
});
