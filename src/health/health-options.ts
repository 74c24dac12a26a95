import type { Limiter } from '../core/limiter.js';
import { type HasLimiter, limiterOf } from '../core/limiter-of.js';
import {
  checkOptions,
  complaint,
  integerFrom,
  millisecondsFrom,
  numberFrom,
  type OptionCheck,
  ofType,
  oneOf,
  unknownKey,
} from '../core/option-checks.js';
import type { HealthReport } from './health-report.js';

/** A limiter, or a wrapped client, which has one. */
export type HealthDependency = HasLimiter;

/** What to do when every required dependency is down. */
export type CommonFailure = 'stay-ready' | 'leave';

export interface HealthOptions {
  /**
   * By name, what this instance can't work without: when one of several is down, it is not ready. Without any dependency,
   * say `{}`: such a health only tells of a shutdown. @default {}
   */
  readonly required?: Readonly<Record<string, HealthDependency>> | undefined;
  /** By name, what it can do without: when one is down, it is ready all the same, `degraded`. @default {} */
  readonly optional?: Readonly<Record<string, HealthDependency>> | undefined;
  /**
   * When every required dependency is down, most likely every other instance sees the same: if all left, nobody would
   * answer at all. `'stay-ready'` stays and refuses what can't be served; `'leave'` is for faults of one instance, or
   * for load balancers that send to all when none is ready. @default 'stay-ready'
   */
  readonly commonFailure?: CommonFailure | undefined;
  /** Dependencies are looked at this often, in milliseconds from 10. @default 1000 */
  readonly intervalMs?: number | undefined;
  /** Bad looks in a row that make a dependency down: an integer from 1. @default 3 */
  readonly failureThreshold?: number | undefined;
  /** Good looks in a row that bring it back: an integer from 1. @default 3 */
  readonly successThreshold?: number | undefined;
  /** A look is bad when at least this share of the answers since the last met overload: 0.01 to 1. @default 0.5 */
  readonly maxOverloadRatio?: number | undefined;
  /**
   * A look is bad when work came in, none came back, and the oldest permit is out for at least this long: milliseconds
   * from 0, longer than operations take. @default 5000
   */
  readonly stalledAfterMs?: number | undefined;
  /**
   * While a dependency is down its limit is lowered to this share, 0 to 1 and at least one permit, so that a few
   * operations try it out; when it is back the limit rises from there. A limit that moves by itself is left alone.
   * @default 0.1
   */
  readonly rampFrom?: number | undefined;
  /** How long the limit takes to rise to what it was, in milliseconds; 0: limits are never touched. @default 10000 */
  readonly rampMs?: number | undefined;
  /**
   * By the name of a dependency, a look at it that takes no permit (a connection of its own, say). Asked only while it is
   * down and no traffic tells anything; bad when it rejects or takes longer than `intervalMs`. Without one, silence
   * counts as good. @default {}
   */
  readonly checks?: Readonly<Record<string, () => unknown>> | undefined;
  /** Told when a status changes, for logs. What it throws, or rejects with, is reported once as a process warning. */
  readonly onChange?: ((report: HealthReport) => void) | undefined;
}

/** What {@link HealthOptions} say, with defaults filled in. */
export interface ResolvedHealthOptions {
  readonly dependencies: readonly ResolvedDependency[];
  readonly commonFailure: CommonFailure;
  readonly intervalMs: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
  readonly maxOverloadRatio: number;
  readonly stalledAfterMs: number;
  readonly rampFrom: number;
  readonly rampMs: number;
  readonly onChange: ((report: HealthReport) => void) | undefined;
}

export interface ResolvedDependency {
  readonly name: string;
  readonly limiter: Limiter;
  readonly required: boolean;
  readonly check: (() => unknown) | undefined;
}

const CHECKS: Readonly<Record<keyof HealthOptions, OptionCheck>> = {
  required: byName('dependencies'),
  optional: byName('dependencies'),
  commonFailure: oneOf('stay-ready', 'leave'),
  intervalMs: millisecondsFrom(10),
  failureThreshold: integerFrom(1),
  successThreshold: integerFrom(1),
  maxOverloadRatio: numberFrom(0.01, 1),
  stalledAfterMs: millisecondsFrom(0),
  rampFrom: numberFrom(0, 1),
  rampMs: millisecondsFrom(0),
  checks: byName('functions'),
  onChange: ofType('function'),
};

/** @throws TypeError | RangeError naming the option, the rule and the value */
export function resolveHealthOptions(options: HealthOptions): ResolvedHealthOptions {
  checkOptions('Health', options, CHECKS, 'dependencies stand by name under required or optional');
  if (options.required === undefined && options.optional === undefined) {
    throw new TypeError(
      'floodgate: Health must be given its dependencies, by name, under required or optional: without any it would always be ready (required: {} for a probe that only tells of a shutdown)',
    );
  }
  return {
    dependencies: dependenciesOf(options),
    commonFailure: options.commonFailure ?? 'stay-ready',
    intervalMs: options.intervalMs ?? 1_000,
    failureThreshold: options.failureThreshold ?? 3,
    successThreshold: options.successThreshold ?? 3,
    maxOverloadRatio: options.maxOverloadRatio ?? 0.5,
    stalledAfterMs: options.stalledAfterMs ?? 5_000,
    rampFrom: options.rampFrom ?? 0.1,
    rampMs: options.rampMs ?? 10_000,
    onChange: options.onChange,
  };
}

function dependenciesOf({ required = {}, optional = {}, checks = {} }: HealthOptions): ResolvedDependency[] {
  const names = new Map<Limiter, string>();
  const resolve = (kind: 'required' | 'optional', [name, value]: [string, HealthDependency]) => {
    const limiter = limiterOf(`${kind}.${name}`, value);
    if (kind === 'optional' && Object.hasOwn(required, name)) {
      throw new TypeError(`floodgate: ${kind}.${name} must have another name than required.${name}`);
    }
    const twice = names.get(limiter);
    if (twice !== undefined) {
      throw new TypeError(`floodgate: ${kind}.${name} must have another limiter than '${twice}'`);
    }
    names.set(limiter, name);
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check !== undefined) ofType('function')(`checks.${name}`, check);
    return { name, limiter, required: kind === 'required', check };
  };
  const dependencies = [
    ...Object.entries(required).map((entry) => resolve('required', entry)),
    ...Object.entries(optional).map((entry) => resolve('optional', entry)),
  ];
  const known = dependencies.map(({ name }) => name);
  const stray = Object.keys(checks).find((name) => !known.includes(name));
  if (stray !== undefined) throw new TypeError(unknownKey('dependency in checks', stray, known));
  return dependencies;
}

/** A pool itself is an object too, and its fields would be taken for dependencies. */
function byName(what: string): OptionCheck {
  const rule = `a plain object of ${what} by name`;
  return (option, value) => {
    if (!isPlainObject(value)) throw new TypeError(complaint(option, rule, value));
  };
}

/** Of any realm: its prototype is the end of the chain, or it has none. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
