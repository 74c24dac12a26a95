import type { Histogram, Meter, Observable } from '@opentelemetry/api';

type Row = readonly [name: string, unit: string, description: string];

/**
 * Read when they are collected, so that they cost an operation nothing. Names under `db.client` are those of
 * OpenTelemetry's semantic conventions for databases; for the others there is no convention.
 */
const GAUGES = {
  limit: ['floodgate.limit', '{permit}', 'What new work is admitted against.'],
  limitMin: ['floodgate.limit.min', '{permit}', 'The limit never falls below this; adaptive limits only.'],
  limitMax: ['floodgate.limit.max', '{permit}', 'The limit never rises above this.'],
  limitProposed: [
    'floodgate.limit.proposed',
    '{permit}',
    'What the limit would be; limits in shadow mode only.',
  ],
  inFlight: ['floodgate.in_flight', '{permit}', 'Permits held.'],
  waiting: ['floodgate.waiting', '{operation}', 'Operations that wait for a permit.'],
  oldestPermit: ['floodgate.permit.oldest_age', 's', 'Age of the oldest permit held; 0 if none is.'],
} satisfies Record<string, Row>;

const COUNTERS = {
  admitted: ['floodgate.admitted', '{operation}', 'Operations admitted.'],
  rejected: ['floodgate.rejected', '{operation}', 'Operations rejected at once; they never ran.'],
  limitChanges: ['floodgate.limit.changes', '{change}', 'Changes of the limit.'],
} satisfies Record<string, Row>;

const HISTOGRAMS = {
  duration: ['db.client.operation.duration', 's', 'Duration of database client operations.'],
  waitTime: [
    'db.client.connection.wait_time',
    's',
    'The time it took to obtain an open connection from the pool.',
  ],
  createTime: ['db.client.connection.create_time', 's', 'The time it took to create a new connection.'],
} satisfies Record<string, Row>;

/** What the conventions recommend for `db.client.operation.duration`, in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

export type Observables = Readonly<Record<keyof typeof GAUGES | keyof typeof COUNTERS, Observable>>;
export type Histograms = Readonly<Record<keyof typeof HISTOGRAMS, Histogram>>;

export function makeObservables(meter: Meter): Observables {
  return {
    ...makeEach(GAUGES, (name, options) => meter.createObservableGauge(name, options)),
    ...makeEach(COUNTERS, (name, options) => meter.createObservableCounter(name, options)),
  };
}

export function makeHistograms(meter: Meter): Histograms {
  const advice = { explicitBucketBoundaries: BUCKETS };
  return makeEach(HISTOGRAMS, (name, options) => meter.createHistogram(name, { ...options, advice }));
}

function makeEach<Key extends string, Made>(
  rows: Readonly<Record<Key, Row>>,
  make: (name: string, options: { unit: string; description: string }) => Made,
): Record<Key, Made> {
  const made = Object.entries<Row>(rows).map(([key, [name, unit, description]]) => [
    key,
    make(name, { unit, description }),
  ]);
  return Object.fromEntries(made);
}
