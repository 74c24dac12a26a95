import type { RejectReason } from './backpressure-error.js';

/**
 * - `open`: there is room. `saturated`: every permit is taken. `protecting`: unimportant work is being shed.
 * - `draining`: nothing more is admitted, some work still runs. `drained`: none does.
 */
export type LimiterState = 'open' | 'saturated' | 'protecting' | 'draining' | 'drained';

/** Recent percentiles (last 10 to 20 seconds) in milliseconds; `undefined` without samples. */
export interface LatencyPercentiles {
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
}

export interface OutcomeCounts {
  /** Operations admitted so far: `succeeded + failed + overloaded + ignored + running`, always. */
  readonly admitted: number;
  /** Operations refused so far; they never ran. Offered are `admitted + rejected`. */
  readonly rejected: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly overloaded: number;
  readonly ignored: number;
  /** Permits held. An operation holds its weight; what is exempt holds none. */
  readonly inFlight: number;
  /** Operations that run now. */
  readonly running: number;
  /** Latency of operations that succeeded or met overload: of queries, not of the time a client is held. */
  readonly latency: LatencyPercentiles;
}

/** Counts of one operation class. */
export interface ClassStats extends OutcomeCounts {}

/** What one server behind a client holds; only for clients with several (clusters). */
export interface NodeStats {
  /** Permits held for it. */
  readonly inFlight: number;
  readonly admitted: number;
  /** Refused because the node had its share of the limit (reason `'bulkhead'`). */
  readonly rejected: number;
}

/** What moves a limit by itself. */
export interface AdaptiveStats {
  /** The limit that the last decision wants; in force unless {@link observe}, or somebody has moved the limit since. */
  readonly proposedLimit: number;
  /** The limit never leaves these, in permits. */
  readonly min: number;
  readonly max: number;
  /** Why, in words and figures. */
  readonly reason: string;
  /** Shadow mode: nothing is enforced. */
  readonly observe: boolean;
  /** There is traffic, but there are no figures: the limit drifts to the fallback. */
  readonly stale: boolean;
  /**
   * What became of the last window: `used`; `idle` (no traffic); not believed because the event loop `stalled` or there
   * were `few-samples`; `stale`; `controller-failed` (it threw or answered nonsense, as {@link reason} tells: the limit is
   * held).
   */
  readonly verdict: 'used' | 'idle' | 'stalled' | 'few-samples' | 'stale' | 'controller-failed';
  /** The figures of the last window that ended, without those that are missing; `undefined` before the first. */
  readonly window: Readonly<Record<string, number>> | undefined;
}

/** A frozen snapshot; `limiter.stats()` makes a new one each time. Counts are since the limiter was made. */
export interface LimiterStats extends OutcomeCounts {
  readonly name: string;
  /** Of all classes but that of blocking commands of Redis which take no permits: they wait for data, not for the server. */
  readonly latency: LatencyPercentiles;
  readonly state: LimiterState;
  /** What new work is admitted against; `inFlight` may be above it for a while after it was lowered. */
  readonly limit: number;
  readonly maxConcurrentOps: number;
  readonly waiting: number;
  readonly rejectedByReason: Readonly<Partial<Record<RejectReason, number>>>;
  readonly peakInFlight: number;
  /** Releases of permits that had already come back; each is a bug in the code that holds permits. */
  readonly doubleReleases: number;
  /** Age of the oldest permit held, in milliseconds (to 10 ms; to 100 ms after a burst of over 1,000 a second); 0 if none. */
  readonly oldestPermitMs: number;
  /** Wait of checkouts for a pooled connection, in milliseconds; `undefined` where there is no pool or no sample. */
  readonly poolWait: { readonly p95: number | undefined };
  /** Time to open the connections that checkouts had to wait for, in milliseconds, from when the pool had room for them. */
  readonly connectTime: { readonly p95: number | undefined };
  /** Changes of the limit since it began where it did; where an adaptive limit begins is none. */
  readonly limitIncreases: number;
  readonly limitDecreases: number;
  /** Only there where the limit moves by itself. */
  readonly adaptive?: AdaptiveStats;
  readonly classes: Readonly<Record<string, ClassStats>>;
  /** By node, `host:port`; empty where the client has one server. */
  readonly nodes: Readonly<Record<string, NodeStats>>;
}
