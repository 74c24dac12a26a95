import type { RejectReason } from './backpressure-error.js';
import type { LimitChange } from './limit-history.js';
import type { LimiterState } from './limiter-stats.js';
import { complaint, unknownKey } from './option-checks.js';
import type { Outcome } from './outcome.js';

/**
 * What metrics and controllers listen to; see `Limiter.subscribe`. Every method is optional, is called synchronously and
 * must be quick. What it throws is reported once as a process warning and never reaches the operation.
 */
export interface LimiterObserver {
  onAdmit?(operationClass: string, weight: number): void;
  onReject?(operationClass: string, reason: RejectReason): void;
  /** A permit came back. */
  onRelease?(operationClass: string, weight: number, outcome: Outcome): void;
  /**
   * The duration of one operation, in milliseconds, unless it was `'ignored'`. Leave out what `'failed'` when you ask how
   * fast the server is: errors are answered at once. While anyone listens to this, every operation is timed; otherwise
   * about a thousand a second are.
   */
  onLatency?(operationClass: string, latencyMs: number, outcome: Outcome): void;
  /**
   * Time that a checkout waited for a connection of the pool, or for room to open one, in milliseconds. What waited for room has
   * an `onConnectTime` after that, unless it failed.
   */
  onPoolWait?(waitMs: number): void;
  /** Time to open a new connection for a checkout, in milliseconds; it is no pool wait. */
  onConnectTime?(connectMs: number): void;
  /** What it changes itself is told after it, up to 16 changes in a row. */
  onLimitChange?(change: LimitChange): void;
  onStateChange?(state: LimiterState, previous: LimiterState): void;
}

const METHODS: readonly string[] = Object.keys({
  onAdmit: true,
  onReject: true,
  onRelease: true,
  onLatency: true,
  onPoolWait: true,
  onConnectTime: true,
  onLimitChange: true,
  onStateChange: true,
} satisfies Record<keyof LimiterObserver, true>);

/** @throws TypeError for what would never hear anything: a method of another name, or none at all */
export function checkObserver(observer: unknown): asserts observer is LimiterObserver {
  if (typeof observer !== 'object' || observer === null) {
    throw new TypeError(complaint('the observer', 'an object', observer));
  }
  const unknown = Object.keys(observer).find((key) => /^on[A-Z]/.test(key) && !METHODS.includes(key));
  if (unknown !== undefined) throw new TypeError(unknownKey('observer method', unknown, METHODS));
  const known = METHODS.filter((name) => name in observer);
  if (known.length === 0) {
    throw new TypeError(
      complaint('the observer', `an object with ${METHODS.join(', ')}, or some of them`, observer),
    );
  }
  for (const name of known) {
    const method = (observer as Record<string, unknown>)[name];
    if (method !== undefined && typeof method !== 'function') {
      throw new TypeError(complaint(`the observer's ${name}`, 'a function', method));
    }
  }
}
