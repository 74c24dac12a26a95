import { complaint } from './option-checks.js';

/**
 * How an admitted operation ended, as far as overload is concerned.
 *
 * - `success`: it was answered.
 * - `failed`: the server answered with an application error (a constraint violation, say). The server is well, but no
 *   work was done: neither a sign of overload nor a latency sample.
 * - `overload`: a timeout, a refused, reset or lost connection, "too many connections", a server's own overload answer.
 * - `ignored`: it says nothing about the server (a caller's abort, another limiter's rejection).
 */
export type Outcome = 'success' | 'failed' | 'overload' | 'ignored';

const OUTCOMES: ReadonlySet<unknown> = new Set<Outcome>(['success', 'failed', 'overload', 'ignored']);

export function isOutcome(value: unknown): value is Outcome {
  return OUTCOMES.has(value);
}

export function notAnOutcome(value: unknown): TypeError {
  return new TypeError(complaint('outcome', "'success', 'failed', 'overload' or 'ignored'", value));
}

/** The worse of two, or the one that there is: a checkout that met overload once has met overload, whatever else it did. */
export function worseOutcome(a: Outcome | undefined, b: Outcome): Outcome {
  return a !== undefined && SEVERITY[a] >= SEVERITY[b] ? a : b;
}

const SEVERITY: Record<Outcome, number> = { ignored: 0, success: 1, failed: 2, overload: 3 };
