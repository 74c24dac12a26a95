import {
  checkOptions,
  complaint,
  integerFrom,
  millisecondsFrom,
  nonEmptyString,
  type OptionCheck,
  ofType,
} from './option-checks.js';
import type { Outcome } from './outcome.js';

export interface LimiterOptions {
  /** Names the limiter in errors and metrics. @default 'floodgate' */
  readonly name?: string | undefined;
  /**
   * How many permits there are: an integer from 1. A service's first guess is the number of connections its pool has,
   * times the operations it may keep waiting behind each.
   * @default 1000
   */
  readonly maxConcurrentOps?: number | undefined;
  /**
   * Caps classes of operations inside the limit, in permits: `{ transaction: 8 }` leaves the rest to others. A cap is an
   * integer from 1 to `maxConcurrentOps`. An operation over its cap is rejected with reason `'bulkhead'`.
   * @default {}
   */
  readonly bulkheads?: Readonly<Record<string, number>> | undefined;
  /** What a {@link BackpressureError} tells its receiver to wait before a new attempt, in milliseconds, from 0. @default 1000 */
  readonly retryAfterMs?: number | undefined;
  /** Gives rejections a stack trace, at 3 to 15 microseconds each. For debugging. @default false */
  readonly stackTraces?: boolean | undefined;
  /**
   * What an error of an operation says of the server. Return `undefined` to leave it to the default. When it throws, or
   * returns what is no outcome, that is reported once as a process warning, and the default decides.
   */
  readonly classify?: ((error: unknown) => Outcome | undefined) | undefined;
  /** A monotonic clock in milliseconds, for tests and simulators. @default performance.now */
  readonly now?: (() => number) | undefined;
}

/** Checked, with defaults filled in. */
export interface ResolvedLimiterOptions {
  readonly name: string;
  readonly maxConcurrentOps: number;
  readonly bulkheads: Readonly<Record<string, number>>;
  readonly retryAfterMs: number;
  readonly stackTraces: boolean;
  readonly classify: ((error: unknown) => Outcome | undefined) | undefined;
  readonly now: (() => number) | undefined;
}

export const LIMITER_OPTION_CHECKS: Readonly<Record<string, OptionCheck>> = {
  name: nonEmptyString,
  maxConcurrentOps: integerFrom(1),
  bulkheads: checkBulkheads,
  retryAfterMs: millisecondsFrom(0),
  stackTraces: ofType('boolean'),
  classify: ofType('function'),
  now: ofType('function'),
};

export function resolveLimiterOptions(options: LimiterOptions): ResolvedLimiterOptions {
  checkOptions('Limiter', options, LIMITER_OPTION_CHECKS);
  const maxConcurrentOps = options.maxConcurrentOps ?? 1000;
  const given = Object.entries(options.bulkheads ?? {}).filter(([, cap]) => cap !== undefined);
  const bulkheads = Object.fromEntries(given);
  for (const [name, cap] of Object.entries(bulkheads))
    integerFrom(1, maxConcurrentOps)(`bulkheads.${name}`, cap);
  return {
    name: options.name ?? 'floodgate',
    maxConcurrentOps,
    bulkheads,
    retryAfterMs: options.retryAfterMs ?? 1000,
    stackTraces: options.stackTraces ?? false,
    classify: options.classify,
    now: options.now,
  };
}

function checkBulkheads(option: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(complaint(option, 'an object of class names and caps', value));
  }
}
