import { BackpressureError, type RejectReason } from './backpressure-error.js';
import { GateEvents } from './gate-events.js';
import type { GateSampler } from './gate-sampler.js';
import { LatencyHistogram } from './latency-histogram.js';
import { type LimitChange, LimitHistory } from './limit-history.js';
import type { ResolvedLimiterOptions } from './limiter-options.js';
import type { LimiterState } from './limiter-stats.js';
import { NodeShares } from './node-shares.js';
import type { OperationClass } from './operation-class.js';
import { OperationClasses } from './operation-classes.js';
import type { Outcome } from './outcome.js';
import { GatePermit } from './permit.js';
import { type Cohort, PermitAges } from './permit-ages.js';
import { SamplingClock } from './sampling-clock.js';

/**
 * The accounts of a limiter. It alone changes them: an operation is admitted only while `inFlight + weight <= limit`
 * (and within its bulkhead), every admission is settled once, and nothing is admitted while draining.
 *
 * Weight 0 marks an exempt operation, which finishes or observes work already admitted: it is never refused and takes
 * no room, but it is counted, so that draining waits for it.
 */
export class Gate {
  readonly options: ResolvedLimiterOptions;
  readonly clock: SamplingClock;
  readonly classes: OperationClasses;
  readonly history: LimitHistory;
  readonly events = new GateEvents(this);
  /** For clients with several servers: their wrappers ask it beside {@link refusal}. */
  readonly nodes = new NodeShares();
  readonly ages: PermitAges;
  limit: number;
  /** Permits held. */
  inFlight = 0;
  /** Operations that run, exempt ones included. */
  running = 0;
  peakInFlight = 0;
  /** What stands behind it, as OpenTelemetry's `db.system.name` has it; set by the wrappers of clients. */
  system: string | undefined;
  /** Who moves the limit, where it moves by itself. */
  sampler: GateSampler | undefined;
  doubleReleases = 0;
  draining = false;
  #shedding: readonly OperationClass[] = [];
  readonly poolWait: LatencyHistogram;
  readonly connectTime: LatencyHistogram;
  /** Who can give up work that was admitted, but for which nothing was sent yet. */
  readonly #drainDeadlines = new Set<() => void>();
  /** Called once, as soon as nothing runs while draining. */
  readonly #onDrained = new Set<() => void>();

  constructor(options: ResolvedLimiterOptions) {
    this.options = options;
    this.limit = options.maxConcurrentOps;
    this.clock = new SamplingClock(options.now);
    this.history = new LimitHistory(() => this.clock.origin + this.clock.now());
    this.classes = new OperationClasses(options.bulkheads);
    const now = this.clock.now();
    this.ages = new PermitAges(now);
    this.poolWait = new LatencyHistogram(now);
    this.connectTime = new LatencyHistogram(now);
  }

  get state(): LimiterState {
    if (this.draining) return this.running === 0 ? 'drained' : 'draining';
    if (this.#shedding.length > 0) return 'protecting';
    return this.inFlight >= this.limit ? 'saturated' : 'open';
  }

  /** The weight an operation really takes: clamped to the limit and its bulkhead, so that it can ever run. */
  clampWeight(operationClass: OperationClass, weight: number): number {
    return Math.min(weight, this.limit, operationClass.bulkhead);
  }

  /** Why an operation of this weight can't be admitted now; `undefined` if it can. Changes nothing. */
  refusal(operationClass: OperationClass, weight: number): RejectReason | undefined {
    if (weight === 0) return undefined;
    if (this.draining) return 'draining';
    if (this.inFlight + weight > this.limit) return 'limit';
    // What is shed has no room at all: one comparison for both.
    if (operationClass.inFlight + weight > operationClass.room) {
      return operationClass.shed ? 'shedding' : 'bulkhead';
    }
    return undefined;
  }

  /** Counts a rejection. */
  countRejected(operationClass: OperationClass, reason: RejectReason, operation: string): void {
    operationClass.countRejected(reason);
    this.sampler?.onReject(reason);
    this.events.rejected(operationClass.name, reason, operation);
  }

  /** Counts a rejection and makes its error: constant time, one small object, however many came before. */
  reject(
    operationClass: OperationClass,
    reason: RejectReason,
    operation: string,
    weight?: number,
    shareTaken?: string,
  ): BackpressureError {
    this.countRejected(operationClass, reason, operation);
    return this.rejection(operationClass, reason, operation, weight, shareTaken);
  }

  /** The error alone, for what was admitted and is refused after all: it ends as `ignored`, and counts as that. */
  rejection(
    operationClass: OperationClass,
    reason: RejectReason,
    operation: string,
    weight = 1,
    share = reason === 'bulkhead' ? operationClass.shareTaken : undefined,
  ): BackpressureError {
    const { limit, inFlight, options } = this;
    const { name: limiter, retryAfterMs, stackTraces } = options;
    const { name: className } = operationClass;
    return new BackpressureError(
      { reason, limiter, operation, operationClass: className, limit, inFlight, weight, retryAfterMs, share },
      stackTraces,
    );
  }

  /**
   * Takes the permits. The caller has asked {@link refusal} in the same synchronous step.
   *
   * @param startedAt a reading of the clock, `NaN` if it was not read for this operation
   * @returns what {@link settle} wants back
   */
  admit(operationClass: OperationClass, weight: number, startedAt: number): Cohort {
    this.inFlight += weight;
    if (!Number.isNaN(startedAt)) {
      this.ages.advance(startedAt);
      this.sampler?.onTime(startedAt);
    }
    if (this.inFlight > this.peakInFlight) this.peakInFlight = this.inFlight;
    this.running++;
    operationClass.inFlight += weight;
    operationClass.running++;
    operationClass.admitted++;
    if (this.events.heard) this.events.admitted(operationClass.name, weight);
    return this.ages.enter();
  }

  /** Takes the permits back. Once per {@link admit}: the callers ({@link GatePermit}, `Limiter.run`) see to that. */
  settle(
    operationClass: OperationClass,
    weight: number,
    cohort: Cohort,
    startedAt: number,
    outcome: Outcome,
  ): void {
    this.inFlight -= weight;
    this.running--;
    operationClass.inFlight -= weight;
    operationClass.running--;
    operationClass.ended[outcome]++;
    this.ages.leave(cohort);
    if (!Number.isNaN(startedAt)) {
      const now = this.clock.now();
      this.sampler?.onTime(now);
      this.recordLatency(operationClass, now - startedAt, outcome, now);
    }
    if (this.events.heard) this.events.released(operationClass.name, weight, outcome);
    if (this.draining && this.running === 0) this.#drained();
  }

  /** A permit whose duration is no latency: a checkout, which lasts as long as its holder likes. */
  permitForCheckout(
    operationClass: OperationClass,
    weight: number,
    startedAt: number = this.clock.sample(),
  ): GatePermit {
    const cohort = this.admit(operationClass, weight, startedAt);
    return new GatePermit(this, operationClass, weight, cohort, Number.NaN, true);
  }

  /** A permit whose duration is the operation's latency. */
  permitForOperation(operationClass: OperationClass, weight: number): GatePermit {
    const startedAt = this.clock.sample();
    const cohort = this.admit(operationClass, weight, startedAt);
    return new GatePermit(this, operationClass, weight, cohort, startedAt);
  }

  /**
   * A latency sample. Only what did work, or met overload, is one: an error answered at once would look like a fast
   * server. Observers hear of the others too, but for those that say nothing. `now`: where the caller has read it already.
   */
  recordLatency(
    operationClass: OperationClass,
    latencyMs: number,
    outcome: Outcome,
    now: number = this.clock.now(),
  ): void {
    if (outcome === 'ignored') return;
    if (outcome !== 'failed') {
      operationClass.recordLatency(now, latencyMs);
      this.sampler?.onLatency(operationClass, latencyMs, outcome, now);
    }
    this.events.latency(operationClass.name, latencyMs, outcome);
  }

  recordPoolWait(waitMs: number, now: number = this.clock.now()): void {
    this.poolWait.record(now, waitMs);
    this.sampler?.onPoolWait(waitMs, now);
    this.events.poolWait(waitMs);
  }

  recordConnectTime(connectMs: number, now: number = this.clock.now()): void {
    this.connectTime.record(now, connectMs);
    this.events.connectTime(connectMs);
  }

  /** Protect mode: these classes are refused outright until it ends; none: it has ended. */
  shed(names: readonly string[]): void {
    if (names.length === 0 && this.#shedding.length === 0) return;
    for (const operationClass of this.#shedding) operationClass.shed = false;
    this.#shedding = names.map((name) => this.classes.get(name));
    for (const operationClass of this.#shedding) operationClass.shed = true;
    this.events.stateMayHaveChanged();
  }

  setLimit(limit: number, reason: string, window: LimitChange['window']): void {
    const from = this.limit;
    // Whatever went wrong where it comes from: against a limit that is none, all would be refused, or nothing.
    if (limit === from || !(limit >= 1 && limit < Number.POSITIVE_INFINITY)) return;
    this.limit = limit;
    this.events.limitChanged(this.history.moved(from, limit, reason, window));
  }

  /**
   * Admits nothing more; calls back as soon as nothing runs, at once if nothing does.
   *
   * @returns stops waiting; the gate goes on draining
   */
  drain(onDrained: () => void): () => void {
    const waiter = () => onDrained();
    this.draining = true;
    this.#onDrained.add(waiter);
    this.events.stateMayHaveChanged();
    if (this.running === 0) this.#drained();
    return () => this.#onDrained.delete(waiter);
  }

  /** A wrapper with a queue behind the gate (a pool's) refuses what still waits in it when a drain's time is up. */
  onDrainDeadline(refuseWaiting: () => void): () => void {
    this.#drainDeadlines.add(refuseWaiting);
    return () => this.#drainDeadlines.delete(refuseWaiting);
  }

  drainDeadline(): void {
    for (const refuseWaiting of this.#drainDeadlines) refuseWaiting();
  }

  #drained(): void {
    const waiters = [...this.#onDrained];
    this.#onDrained.clear();
    for (const waiter of waiters) waiter();
  }
}
