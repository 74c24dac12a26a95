import type { RejectReason } from './backpressure-error.js';
import type { LimitChange } from './limit-history.js';
import type { LimiterState } from './limiter-stats.js';
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
  onLimitChange?(change: LimitChange): void;
  onStateChange?(state: LimiterState, previous: LimiterState): void;
}
