import type { RejectReason } from './backpressure-error.js';
import type { AdaptiveStats } from './limiter-stats.js';
import type { OperationClass } from './operation-class.js';
import type { Outcome } from './outcome.js';

/**
 * What a gate tells whoever moves its limit by itself. Only what was timed anyway is told (at high rates a sample);
 * counts are read from the gate's accounts. None of the methods may throw.
 */
export interface GateSampler {
  /** The time, read at an admission or a release. */
  onTime(now: number): void;
  /** What a checkout held is free again. Nothing else times that: its latency was recorded while it still held its permit. */
  onCheckoutEnd(): void;
  onReject(reason: RejectReason): void;
  /** Of operations that did work (`'success'`) or met overload. */
  onLatency(operationClass: OperationClass, latencyMs: number, outcome: Outcome, now: number): void;
  onPoolWait(waitMs: number, now: number): void;
  stats(): AdaptiveStats;
}
