import type { Meter } from '@opentelemetry/api';
import { checkOptions, complaint, nonEmptyString, type OptionCheck, ofType } from '../core/option-checks.js';

export interface InstrumentOptions {
  /**
   * Makes the instruments. @default `metrics.getMeter('floodgate')` of the global provider, which must be registered
   * before: until then OpenTelemetry's own API discards what is recorded.
   */
  readonly meter?: Meter | undefined;
  /** Tells the limiter's series from those of others: attribute `floodgate.limiter`. @default the limiter's name */
  readonly name?: string | undefined;
  /**
   * What stands behind the limiter, attribute `db.system.name`. @default that of the wrapped client (`'postgresql'`,
   * `'mysql'`, `'redis'`, `'aerospike'`), `'other'` for a limiter without a client
   */
  readonly system?: string | undefined;
  /**
   * Whether durations are recorded, for which every operation is timed. `false` where another instrumentation of the
   * client does so. @default true, if the meter makes histograms
   */
  readonly histograms?: boolean | undefined;
  /**
   * Put on every series: `{ 'db.namespace': 'orders', 'server.address': 'db1' }`. Each value makes a series of its own,
   * so nothing that depends on a request. Those that are set anyway are refused. @default {}
   */
  readonly attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
}

const CHECKS: Readonly<Record<keyof InstrumentOptions, OptionCheck>> = {
  meter: checkMeter,
  name: nonEmptyString,
  system: nonEmptyString,
  histograms: ofType('boolean'),
  attributes: checkAttributes,
};

export function checkInstrumentOptions(options: InstrumentOptions): void {
  checkOptions('instrument', options, CHECKS, 'a meter is given as { meter }');
}

/** Without these there is nothing to record with; `createHistogram` may be missing. */
const METHODS = [
  'createObservableGauge',
  'createObservableCounter',
  'addBatchObservableCallback',
  'removeBatchObservableCallback',
] as const satisfies readonly (keyof Meter)[];

function checkMeter(option: string, value: unknown): void {
  const missing = METHODS.find((name) => typeof (value as Partial<Meter> | null)?.[name] !== 'function');
  if (missing !== undefined) {
    throw new TypeError(complaint(option, `an OpenTelemetry Meter (with ${missing})`, value));
  }
}

function checkAttributes(option: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(complaint(option, 'an object of attributes', value));
  }
  for (const [key, attribute] of Object.entries(value)) {
    if (OWN_ATTRIBUTES.includes(key)) {
      throw new TypeError(complaint(`${option}['${key}']`, 'absent, since it is set by itself', attribute));
    }
    if (!['string', 'number', 'boolean'].includes(typeof attribute)) {
      throw new TypeError(complaint(`${option}['${key}']`, 'a string, number or boolean', attribute));
    }
  }
}

/** Two of them have an option: `name` and `system`. */
const OWN_ATTRIBUTES = [
  'floodgate.limiter',
  'floodgate.operation.class',
  'floodgate.reason',
  'floodgate.direction',
  'db.system.name',
  'db.operation.name',
  'db.client.connection.pool.name',
  'error.type',
];
