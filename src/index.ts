export type { AdaptiveOptions, ControllerName } from './adaptive/adaptive-options.js';
export { AimdController } from './adaptive/aimd.js';
export type { LimitController, LimitDecision, SampleWindow } from './adaptive/controller.js';
export type { ControllerRange } from './adaptive/controller-range.js';
export { FixedController } from './adaptive/fixed.js';
export { Gradient2Controller } from './adaptive/gradient2.js';
export { KneeController } from './adaptive/knee.js';
export { Limiter, type LimiterOptions } from './adaptive/limiter.js';
export type { StallSource } from './adaptive/stall-monitor.js';
export { ThresholdController, type ThresholdOptions } from './adaptive/threshold.js';
export { VegasController } from './adaptive/vegas.js';
export {
  type BackpressureDetails,
  BackpressureError,
  type RejectReason,
} from './core/backpressure-error.js';
export type { LimitMessage, RejectMessage, StateMessage } from './core/diagnostics.js';
export type { DrainOptions } from './core/drain.js';
export { findBackpressureError, isBackpressureError } from './core/find-backpressure-error.js';
export type { LimitChange } from './core/limit-history.js';
export type { LimiterObserver } from './core/limiter-observer.js';
export type {
  AdaptiveStats,
  ClassStats,
  LatencyPercentiles,
  LimiterState,
  LimiterStats,
  NodeStats,
  OutcomeCounts,
} from './core/limiter-stats.js';
export type { OperationInfo } from './core/operation-info.js';
export type { Outcome } from './core/outcome.js';
export type { Permit } from './core/permit.js';
