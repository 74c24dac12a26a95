import type { RejectReason } from '../core/backpressure-error.js';
import type { Gate } from '../core/gate.js';
import type { GateSampler } from '../core/gate-sampler.js';
import type { AdaptiveStats } from '../core/limiter-stats.js';
import type { OperationClass } from '../core/operation-class.js';
import type { Outcome } from '../core/outcome.js';
import type { SampleWindow } from './controller.js';
import { InFlightTime } from './in-flight-time.js';
import { OutcomeTotals } from './outcome-totals.js';
import type { StallSource } from './stall-monitor.js';
import { ThinnedClock } from './thinned-clock.js';
import { WindowPercentiles } from './window-percentiles.js';
import { WorkRate } from './work-rate.js';

export interface WindowOptions {
  readonly windowMs: number;
  readonly minSamples: number;
}

export interface WindowReceiver {
  /** Takes a finished window, and may move the gate's limit. Never throws. */
  onWindow(window: SampleWindow): void;
  stats(): AdaptiveStats;
}

/**
 * Gathers what a gate does into windows, each at one limit, and hands every finished one on.
 *
 * Costs nothing per operation: counts are differences of the gate's own accounts, taken now and then, and only what was
 * timed anyway is looked at (all of it up to about a thousand a second). There is no timer: a window ends at the first
 * event after its time is up, as soon as it holds `minSamples`; without them, after four times its length or three
 * latencies. A window's first moments, one latency long, belong to the limit before it and are left out.
 */
export class SampleWindows implements GateSampler {
  readonly #gate: Gate;
  readonly #stalls: StallSource | undefined;
  readonly #options: WindowOptions;
  readonly #control: WindowReceiver;
  readonly #totals: OutcomeTotals;
  readonly #work = new WorkRate();
  readonly #latency = new WindowPercentiles();
  readonly #poolWait = new WindowPercentiles();
  readonly #inFlight = new InFlightTime();
  readonly #rejectClock: ThinnedClock;
  readonly #checkoutClock: ThinnedClock;
  /** What the grid is counted from: the epoch, with a clock of the caller's its zero. */
  readonly #origin: number;
  #startedAt = 0;
  #measuring = false;
  #limit = 0;
  /** When something is due: the end of the first moments, or of a slice. */
  #dueAt = 0;
  #sliceMs = 0;
  #workDone = 0;
  #rejected = 0;
  /** How long an answer takes of late, those that met overload included: one feedback delay. */
  #feedbackMs = 0;
  #feedbackSum = 0;
  #feedbackCount = 0;
  /** Windows handed on, up to {@link FIRST}. */
  #handedOn = 0;

  constructor(gate: Gate, stalls: StallSource | undefined, options: WindowOptions, control: WindowReceiver) {
    this.#gate = gate;
    this.#stalls = stalls;
    this.#options = options;
    this.#control = control;
    this.#origin = gate.clock.origin;
    this.#totals = new OutcomeTotals(gate);
    this.#rejectClock = new ThinnedClock(gate.clock.now);
    this.#checkoutClock = new ThinnedClock(gate.clock.now);
    this.#begin(gate.clock.now(), false);
  }

  onTime(now: number): void {
    if (this.#inFlight.since(now) < -BACKWARDS_MS) this.#begin(now, false);
    this.#inFlight.read(now, this.#gate.inFlight);
    if (now >= this.#dueAt) this.#due(now);
  }

  onCheckoutEnd(): void {
    const now = this.#checkoutClock.sample();
    if (now !== undefined) this.onTime(now);
  }

  onReject(reason: RejectReason): void {
    if (reason === 'limit') this.#rejected++;
    // While everything hangs, rejections are all that happens.
    const now = this.#rejectClock.sample();
    if (now !== undefined) this.onTime(now);
  }

  onLatency(operationClass: OperationClass, latencyMs: number, outcome: Outcome, now: number): void {
    this.onTime(now);
    if (this.#stalls !== undefined && this.#stalls.stalledMs(now - latencyMs, now) > 0) return;
    // Held up by a standstill that was over before this window began.
    if (latencyMs > now - this.#startedAt && latencyMs > OUTLIER * this.#feedbackMs && this.#feedbackMs > 0)
      return;
    this.#feedbackSum += latencyMs;
    this.#feedbackCount++;
    if (outcome === 'overload') {
      this.#totals.toldOverload++;
      return;
    }
    this.#latency.record(latencyMs);
    this.#work.onSuccess(operationClass, latencyMs);
  }

  onPoolWait(waitMs: number, now: number): void {
    this.onTime(now);
    this.#poolWait.record(waitMs);
  }

  stats(): AdaptiveStats {
    return this.#control.stats();
  }

  #begin(now: number, limitChanged: boolean): void {
    this.#limit = this.#gate.limit;
    this.#measuring = false;
    this.#dueAt = now + (limitChanged ? Math.min(this.#feedbackMs, LONGEST_SETTLE_MS) : 0);
    if (!limitChanged) this.#measure(now);
  }

  #measure(now: number): void {
    this.#measuring = true;
    this.#startedAt = now;
    this.#inFlight.begin(now, this.#gate.inFlight, this.#limit);
    this.#sliceMs = this.#lengthMs / SLICES;
    this.#dueAt = this.#nextSliceEnd(now);
    this.#totals.begin();
    this.#work.take(this.#gate.classes);
    this.#latency.clear();
    this.#poolWait.clear();
    this.#workDone = this.#rejected = this.#feedbackSum = this.#feedbackCount = 0;
  }

  get #lengthMs(): number {
    const { windowMs } = this.#options;
    const feedbacks = Math.min(this.#feedbackMs, LONGEST_SETTLE_MS) / windowMs;
    return feedbacks <= 1 ? windowMs : windowMs * 2 ** Math.ceil(Math.log2(feedbacks));
  }

  #due(now: number): void {
    // Moved by somebody else: what was gathered is of two limits.
    if (this.#gate.limit !== this.#limit) this.#begin(now, true);
    else if (!this.#measuring) this.#measure(now);
    else this.#endSlice(now);
  }

  #endSlice(now: number): void {
    this.#workDone += this.#work.take(this.#gate.classes);
    this.#dueAt = this.#nextSliceEnd(now);
    const elapsed = now - this.#startedAt;
    const unit = this.#plenty(elapsed) ? this.#lengthMs / SHORTENED : this.#lengthMs;
    // At the ends of a grid that all processes share; what is left of a stretch may be too short.
    if (this.#slotOf(now, unit) === this.#slotOf(this.#startedAt, unit) || elapsed < unit * 0.6) return;
    const longest = Math.max(
      LONGEST * this.#options.windowMs,
      3 * Math.min(this.#feedbackMs, LONGEST_SETTLE_MS),
    );
    if (this.#totals.ended() < this.#options.minSamples && elapsed < longest) return;
    this.#end(now, elapsed, this.#slotOf(now, unit) - 1);
  }

  #slotOf(now: number, unit: number): number {
    return Math.floor((this.#origin + now + 1e-6) / unit);
  }

  /** A slice also ends where a stretch of the grid does. */
  #nextSliceEnd(now: number): number {
    const stretch = this.#lengthMs / SHORTENED;
    const next = (this.#slotOf(now, stretch) + 1) * stretch - this.#origin;
    return Math.min(now + this.#sliceMs, next);
  }

  /** At high rates a shorter window knows as much; while nothing is known, a rough answer soon is worth more. */
  #plenty(elapsed: number): boolean {
    return (
      elapsed >= (this.#lengthMs / SHORTENED) * 0.6 &&
      elapsed >= 5 * this.#feedbackMs &&
      this.#totals.ended() >= (this.#handedOn < FIRST ? ROUGHLY : PLENTY)
    );
  }

  #end(now: number, elapsed: number, slot: number): void {
    if (this.#feedbackMs === 0 && this.#feedbackCount > 0) {
      this.#feedbackMs = this.#feedbackSum / this.#feedbackCount;
      // The very first window began with nothing in flight.
      if (elapsed < FILLED * this.#feedbackMs) {
        this.#measure(now);
        return;
      }
    }
    const { max } = this.#inFlight;
    const window: SampleWindow = {
      startedAt: this.#startedAt,
      endedAt: now,
      limit: this.#limit,
      ...this.#totals.end(),
      rejected: this.#rejected,
      maxInFlight: this.#rejected > 0 ? Math.max(max, this.#limit) : max,
      meanInFlight: this.#inFlight.mean(elapsed),
      fullShare: this.#inFlight.fullShare(elapsed),
      meanLatency: this.#latency.mean,
      p50: this.#latency.percentile(0.5),
      p95: this.#latency.percentile(0.95),
      p99: this.#latency.percentile(0.99),
      meanPoolWait: this.#poolWait.count === 0 ? 0 : this.#poolWait.mean,
      p95PoolWait: this.#poolWait.count === 0 ? 0 : this.#poolWait.percentile(0.95),
      workRate: (this.#workDone * 1000) / elapsed,
      workUnitMs: this.#work.unitMs,
      stalledMs: this.#stalls?.stalledMs(this.#startedAt, now) ?? 0,
      slot,
      resizedTo: this.#gate.history.resizedTo,
    };
    this.#work.endWindow();
    // What took longer than the window began long before it: after a stall, say. It does not stretch the next ones much.
    if (this.#feedbackCount > 0) {
      this.#feedbackMs = Math.min(
        this.#feedbackSum / this.#feedbackCount,
        Math.max(elapsed, this.#feedbackMs),
      );
    }
    if (this.#handedOn < FIRST) this.#handedOn++;
    this.#control.onWindow(window);
    this.#begin(now, this.#gate.limit !== window.limit);
  }
}

/** A clock that jumps back by this much begins a window anew. */
const BACKWARDS_MS = 1000;
const SLICES = 20;
/** With plenty of answers a window may be this many times shorter. */
const SHORTENED = 4;
/** Answers that make a window end early, from a quarter of its length on. */
const PLENTY = 1000;
/** The same in the first windows. */
const ROUGHLY = 250;
const FIRST = 4;
/** Latencies, after which a limiter that has just begun is taken to be in its stride. */
const FILLED = 5;
/** Times the length of a window. */
const LONGEST = 4;
const LONGEST_SETTLE_MS = 30_000;
/** Times what an answer takes of late. */
const OUTLIER = 10;
