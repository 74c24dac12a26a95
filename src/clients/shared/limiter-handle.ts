import type { Limiter } from '../../core/limiter.js';

/** What a wrapped client has on top of the client's own members. */
export interface LimiterHandle {
  /** The limiter that admits this client's operations. */
  readonly limiter: Limiter;
}
