import { channel } from 'node:diagnostics_channel';
import type { RejectReason } from './backpressure-error.js';
import type { LimitChange } from './limit-history.js';
import type { LimiterState } from './limiter-stats.js';

/** What is published on `floodgate:reject`: an operation was not admitted. Counts are permits. */
export interface RejectMessage {
  /** Name of the limiter. */
  readonly limiter: string;
  /** Kind of operation, `'query'` for example; never SQL text, keys or values. */
  readonly operation: string;
  readonly operationClass: string;
  readonly reason: RejectReason;
  readonly limit: number;
  readonly inFlight: number;
}

/** What is published on `floodgate:limit`: the limit has moved. */
export interface LimitMessage extends LimitChange {
  /** Name of the limiter. */
  readonly limiter: string;
}

/** What is published on `floodgate:state`. */
export interface StateMessage {
  /** Name of the limiter. */
  readonly limiter: string;
  readonly state: LimiterState;
  readonly previous: LimiterState;
}

/**
 * The channels of `node:diagnostics_channel`, the same for every limiter of the process. Whoever publishes asks
 * `hasSubscribers` first, so that no message is made for nobody. What a subscriber throws reaches Node's
 * `'uncaughtException'` on the next tick, as on every channel, and never the operation.
 */
export const rejectChannel = channel('floodgate:reject');
export const limitChannel = channel('floodgate:limit');
export const stateChannel = channel('floodgate:state');
