import { BackpressureError } from '../core/backpressure-error.js';

/** Where errors keep the error that they wrap: `cause`; Sequelize; TypeORM; `AggregateError`. */
const WRAPPED_UNDER = ['cause', 'original', 'parent', 'driverError', 'errors'] as const;
/** Errors looked at, nearest first. Real ones wrap one or two others. */
const MOST_ERRORS = 64;

/**
 * The {@link BackpressureError} in whatever was thrown: itself, or wrapped under `cause`, `original`, `parent` or
 * `driverError`, or one of the `errors` of an `AggregateError`, in any nesting. The nearest one if there are several,
 * `undefined` if there is none among the nearest 64 errors. Cycles are no problem, and it never throws.
 */
export function findBackpressure(error: unknown): BackpressureError | undefined {
  try {
    return search(error);
  } catch {
    // A getter that throws: no error of a driver has one, but other people's errors come by here too.
    return undefined;
  }
}

function search(error: unknown): BackpressureError | undefined {
  // A set hands out what is added to it meanwhile, and each error once.
  const found = new Set<unknown>([error]);
  for (const candidate of found) {
    if (candidate instanceof BackpressureError) return candidate;
    if (typeof candidate === 'object' && candidate !== null) addWrapped(found, candidate);
  }
  return undefined;
}

function addWrapped(found: Set<unknown>, wrapper: object): void {
  for (const key of WRAPPED_UNDER) {
    const wrapped = (wrapper as Record<string, unknown>)[key];
    for (const error of Array.isArray(wrapped) ? wrapped.slice(0, MOST_ERRORS) : [wrapped]) {
      if (found.size >= MOST_ERRORS) return;
      found.add(error);
    }
  }
}
