export {
  type BackpressureDetails,
  BackpressureError,
  findBackpressureError,
  isBackpressureError,
  type RejectReason,
} from './core/backpressure-error.js';
export type { DrainOptions } from './core/drain.js';
export type { LimitChange } from './core/limit-history.js';
export { Limiter } from './core/limiter.js';
export type { LimiterObserver } from './core/limiter-observer.js';
export type { LimiterOptions } from './core/limiter-options.js';
export type {
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
