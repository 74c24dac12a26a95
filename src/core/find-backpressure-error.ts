import { BackpressureError } from './backpressure-error.js';

/** Where errors keep the one error that they wrap: `cause`; Sequelize; TypeORM. */
const WRAPPED_UNDER = ['cause', 'original', 'parent', 'driverError'];
const WITH_AGGREGATES = [...WRAPPED_UNDER, 'errors'];
/** Errors looked at, nearest first. Real ones wrap one or two others. */
const MOST_ERRORS = 64;
const NONE: readonly unknown[] = [];

/**
 * The {@link BackpressureError} in whatever was thrown: itself, or wrapped under `cause`, `original`, `parent` or
 * `driverError`, in any nesting. The nearest one if there are several, `undefined` if there is none among the nearest 64
 * errors. Cycles are no problem, and it never throws.
 *
 * Not looked at are the `errors` of an `AggregateError`: others among them may stand for work that was done.
 */
export function findBackpressureError(error: unknown): BackpressureError | undefined {
  return nearest(error, WRAPPED_UNDER);
}

/** Whether an error is, or wraps (see {@link findBackpressureError}), a {@link BackpressureError}. */
export function isBackpressureError(error: unknown): boolean {
  return findBackpressureError(error) !== undefined;
}

/** Like {@link findBackpressureError}, and among the `errors` of an `AggregateError` too. */
export function findInAggregates(error: unknown): BackpressureError | undefined {
  return nearest(error, WITH_AGGREGATES);
}

function nearest(error: unknown, keys: readonly string[]): BackpressureError | undefined {
  // A set hands out what is added to it meanwhile, and each error once.
  const found = new Set<unknown>([error]);
  for (const candidate of found) {
    if (typeof candidate !== 'object' || candidate === null) continue;
    if (isRejection(candidate)) return candidate;
    for (const key of keys) {
      for (const wrapped of errorsUnder(candidate, key)) {
        if (found.size < MOST_ERRORS) found.add(wrapped);
      }
    }
  }
  return undefined;
}

// Getters and proxies of other people's errors may throw; what they hide is no rejection.

function isRejection(candidate: object): candidate is BackpressureError {
  try {
    return candidate instanceof BackpressureError;
  } catch {
    return false;
  }
}

function errorsUnder(wrapper: object, key: string): readonly unknown[] {
  try {
    const wrapped: unknown = (wrapper as Record<string, unknown>)[key];
    if (wrapped === undefined) return NONE;
    if (key !== 'errors') return [wrapped];
    return Array.isArray(wrapped) ? firstOf(wrapped) : NONE;
  } catch {
    return NONE;
  }
}

function firstOf(errors: readonly unknown[]): unknown[] {
  return Array.from({ length: Math.min(errors.length, MOST_ERRORS) }, (_, index) => errors[index]);
}
