/**
 * Decides where the limit goes next, from what one window showed. A pure object: it reads no clock and sets no timer, so
 * the same code runs in production and in virtual time, and a test feeds it numbers.
 */
export interface LimitController {
  /** The limit it wants now; read once before the first window. */
  readonly limit: number;
  /**
   * Whether unimportant work should be refused outright (`adaptive.sheddable`). Without it, the limiter itself decides:
   * while three windows in a row, and all since, met more overload than 5 % of their answers, or broke a guard.
   */
  readonly protecting?: boolean | undefined;
  /**
   * Wants `window.limit` to leave the limit where it is. When it throws, or answers anything else than a decision, the limit
   * is held and a process warning tells so, once a limiter; it is asked again at the next window.
   */
  onWindow(window: SampleWindow): LimitDecision;
}

export interface LimitDecision {
  /** In permits. It is rounded, kept within `min` and `max`, and followed at most at `maxChangePerSecond`. */
  readonly limit: number;
  /** In words, with the figures that decided: it ends up in `history()`. */
  readonly reason: string;
}

/** What one stretch of time at one limit showed. All durations in milliseconds; a figure without samples is `NaN`. */
export interface SampleWindow {
  readonly startedAt: number;
  readonly endedAt: number;
  /** What was admitted against. */
  readonly limit: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly overloaded: number;
  readonly ignored: number;
  /** Refused because of the limit; refusals for other reasons say nothing about it. */
  readonly rejected: number;
  readonly admitted: number;
  readonly maxInFlight: number;
  /** Time-weighted. */
  readonly meanInFlight: number;
  /** Share of the time in which no permit was free, 0 to 1. Absent where it is not measured. */
  readonly fullShare?: number | undefined;
  /** Of successful operations, after the wait for a connection. */
  readonly meanLatency: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Time to get a connection; 0 where the client has no pool. */
  readonly meanPoolWait: number;
  readonly p95PoolWait: number;
  /** Successes per second, each counted by its class's share of the work: a change of the mix is no change of it. */
  readonly workRate: number;
  /**
   * Average latency, in milliseconds, of the operation that `workRate` counts as one; where there are several classes, it
   * changes with their mix. Absent with a single class.
   */
  readonly workUnitMs?: number | undefined;
  /** Event-loop stalls inside the window. */
  readonly stalledMs: number;
  /**
   * The number of the stretch of time it fills, on a grid that all processes share: who probes by it probes together with
   * the others, and so sees what the database does for all of them. Absent where windows keep no grid.
   */
  readonly slot?: number | undefined;
  /** What `resize` asked for last, whatever has become of the limit since; absent where it was never called. */
  readonly resizedTo?: number | undefined;
}
