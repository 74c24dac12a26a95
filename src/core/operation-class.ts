import type { RejectReason } from './backpressure-error.js';
import { LatencyHistogram } from './latency-histogram.js';
import type { ClassStats } from './limiter-stats.js';
import type { Outcome } from './outcome.js';

/** Counts of one class of operations. The limiter's own totals are the sums over its classes. */
export class OperationClass {
  readonly name: string;
  /** The class's share of the limit, in permits: its bulkhead. `Infinity`: no share of its own. */
  readonly bulkhead: number;
  /** Permits held. */
  inFlight = 0;
  /** Operations that run; differs from {@link inFlight} where an operation weighs more than 1, or nothing. */
  running = 0;
  admitted = 0;
  /** Permits that it may hold now: its bulkhead, or none while it is shed. */
  room: number;
  readonly rejected = new Map<RejectReason, number>();
  readonly ended: Record<Outcome, number> = { success: 0, failed: 0, overload: 0, ignored: 0 };
  latency: LatencyHistogram | undefined;
  /** Its operations wait for something other than the server: the latency of the whole limiter leaves them out. */
  waits = false;

  constructor(name: string, bulkhead = Number.POSITIVE_INFINITY) {
    this.name = name;
    this.bulkhead = bulkhead;
    this.room = bulkhead;
  }

  /** It is refused outright, since the database does badly and this class is the less important. */
  get shed(): boolean {
    return this.room < this.bulkhead;
  }

  set shed(shed: boolean) {
    this.room = shed ? 0 : this.bulkhead;
  }

  countRejected(reason: RejectReason): void {
    this.rejected.set(reason, (this.rejected.get(reason) ?? 0) + 1);
  }

  recordLatency(now: number, latencyMs: number): void {
    this.latency ??= new LatencyHistogram(now);
    this.latency.record(now, latencyMs);
  }

  get rejectedTotal(): number {
    let total = 0;
    for (const count of this.rejected.values()) total += count;
    return total;
  }

  /** In words, when the class holds its whole bulkhead. */
  get shareTaken(): string | undefined {
    if (this.inFlight < this.bulkhead) return undefined;
    return `class '${this.name}' holds ${this.inFlight} of its ${this.bulkhead} permits`;
  }

  stats(now: number): ClassStats {
    const [p50, p95, p99] = this.latency?.percentiles(now, [0.5, 0.95, 0.99]) ?? [];
    return Object.freeze({
      inFlight: this.inFlight,
      running: this.running,
      admitted: this.admitted,
      rejected: this.rejectedTotal,
      succeeded: this.ended.success,
      failed: this.ended.failed,
      overloaded: this.ended.overload,
      ignored: this.ended.ignored,
      latency: Object.freeze({ p50, p95, p99 }),
    });
  }
}
