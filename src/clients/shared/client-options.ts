import type { AdaptiveOptions } from '../../adaptive/adaptive-options.js';
import type { LimitController } from '../../adaptive/controller.js';
import {
  Limiter as AdaptiveLimiter,
  LIMITER_OPTION_CHECKS,
  type LimiterOptions,
} from '../../adaptive/limiter.js';
import { Limiter } from '../../core/limiter.js';
import { checkOptions, complaint, type OptionCheck, unknownKey } from '../../core/option-checks.js';

/** Caps by class, in permits. */
export type Bulkheads<C extends string> = { readonly [K in C]?: number | undefined };

/**
 * What every wrapper takes: options for a limiter of its own, or a limiter to share.
 *
 * @typeParam C the operation classes that may have a bulkhead, or be shed
 */
export interface ClientLimiterOptions<C extends string>
  extends Omit<LimiterOptions, 'adaptive' | 'bulkheads'> {
  /**
   * Lets the limit move by itself, between 1 and `maxConcurrentOps`, with what the database shows: `true`, options, or a
   * controller of your own. @default false
   */
  readonly adaptive?: boolean | AdaptiveOptions<C> | LimitController | undefined;
  /**
   * Caps classes of operations inside the limit, in permits from 1 to `maxConcurrentOps`. An operation over its cap is
   * rejected with reason `'bulkhead'`. @default {}
   */
  readonly bulkheads?: Bulkheads<C> | undefined;
  /** A limiter shared with other clients, in place of one of its own: no limiter option may stand beside it. */
  readonly limiter?: Limiter | undefined;
}

/**
 * Checks a wrapper's options: those of a limiter, plus its own.
 *
 * @param own checks of the options that only this wrapper has
 * @param bulkheads the operation classes that this wrapper names
 * @param hint where options that are the client's own belong
 */
export function checkClientOptions(
  owner: string,
  options: unknown,
  own: Readonly<Record<string, OptionCheck>>,
  bulkheads: readonly string[],
  hint: string,
): void {
  checkOptions(owner, options, { ...LIMITER_OPTION_CHECKS, limiter: checkLimiter, ...own }, hint);
  const given = options as ClientLimiterOptions<string>;
  if (given.limiter !== undefined) {
    const conflict = Object.keys(LIMITER_OPTION_CHECKS).find(
      (key) => given[key as keyof LimiterOptions] !== undefined,
    );
    if (conflict !== undefined) {
      throw new TypeError(
        complaint(
          conflict,
          "absent beside 'limiter', which has its own",
          given[conflict as keyof LimiterOptions],
        ),
      );
    }
  }
  for (const name of Object.keys(given.bulkheads ?? {})) {
    if (!bulkheads.includes(name)) throw new TypeError(unknownKey('class in bulkheads', name, bulkheads));
  }
  for (const name of sheddableOf(given.adaptive)) {
    if (typeof name === 'string' && name !== '' && !bulkheads.includes(name))
      throw new TypeError(unknownKey('class in adaptive.sheddable', name, bulkheads));
  }
}

/** What is no array is refused later, with the other options of `adaptive`. */
function sheddableOf(adaptive: ClientLimiterOptions<string>['adaptive']): readonly unknown[] {
  if (typeof adaptive !== 'object' || adaptive === null || !('sheddable' in adaptive)) return [];
  return Array.isArray(adaptive.sheddable) ? adaptive.sheddable : [];
}

/**
 * Refuses options of the wrapper among the client's own configuration, where the client would pass them over in silence.
 *
 * @param args what the client's constructor is to get
 * @param own the names of the options that only this wrapper has
 */
export function refuseMisplacedOptions(
  owner: string,
  args: readonly unknown[],
  own: readonly string[],
): void {
  for (const argument of args) {
    if (typeof argument !== 'object' || argument === null) continue;
    const misplaced = [...UNMISTAKABLE, ...own].find((key) => Object.hasOwn(argument, key));
    if (misplaced !== undefined) {
      throw new TypeError(
        `floodgate: ${misplaced} is an option of ${owner}: it goes into the second argument, not into the client's own configuration`,
      );
    }
  }
}

/** Limiter options that no client has under the same name. */
const UNMISTAKABLE = [
  'maxConcurrentOps',
  'adaptive',
  'bulkheads',
  'classify',
  'limiter',
  'retryAfterMs',
  'stackTraces',
];

/** Default names of limiters, and what the clients' databases are called in OpenTelemetry's `db.system.name`. */
const SYSTEMS = { aerospike: 'aerospike', mysql2: 'mysql', pg: 'postgresql', redis: 'redis' };

/** The shared limiter, or a new one from the limiter options among the given ones. */
export function limiterFrom(
  options: ClientLimiterOptions<string>,
  defaultName: keyof typeof SYSTEMS,
): Limiter {
  const limiter = options.limiter ?? newLimiter(options, defaultName);
  // Of several clients that share a limiter the first one names it.
  limiter.gate.system ??= SYSTEMS[defaultName];
  return limiter;
}

function newLimiter(options: ClientLimiterOptions<string>, defaultName: string): Limiter {
  const own = Object.fromEntries(
    Object.entries(options).filter(([key]) => Object.hasOwn(LIMITER_OPTION_CHECKS, key)),
  ) as LimiterOptions;
  return new AdaptiveLimiter({ ...own, name: own.name ?? defaultName });
}

function checkLimiter(option: string, value: unknown): void {
  if (!(value instanceof Limiter)) throw new TypeError(complaint(option, 'a floodgate Limiter', value));
}
