import type { Attributes, BatchObservableResult, Meter } from '@opentelemetry/api';
import type { LimitChange } from '../core/limit-history.js';
import type { Limiter } from '../core/limiter.js';
import type { Histograms, Observables } from './instruments.js';
import { type LimitReason, limitReason, limitReasons } from './limit-reasons.js';
import { recordTimes } from './operation-times.js';
import type { SeriesOptions } from './series-options.js';

type Direction = 'up' | 'down';

/**
 * The series of one limiter on one meter, from the constructor to {@link detach}. Attributes are bounded: limiters by
 * their names, operations by their classes (at most 64), reasons and outcomes by words.
 */
export class LimiterMetrics {
  readonly #limiter: Limiter;
  readonly #observables: Observables;
  readonly #common: Attributes;
  readonly #changes: Readonly<Record<Direction, Map<LimitReason, number>>> = {
    up: new Map(),
    down: new Map(),
  };
  readonly detach: () => void;

  constructor(
    limiter: Limiter,
    meter: Meter,
    observables: Observables,
    histograms: Histograms | undefined,
    options: SeriesOptions,
  ) {
    this.#limiter = limiter;
    this.#observables = observables;
    this.#common = { ...options.attributes, 'floodgate.limiter': options.name };
    const observe = (result: BatchObservableResult) => this.#observe(result);
    const all = Object.values(observables);
    meter.addBatchObservableCallback(observe, all);
    const stopListening = [
      limiter.subscribe({ onLimitChange: (change) => this.#countChange(change) }),
      histograms === undefined ? () => {} : recordTimes(limiter, histograms, options),
    ];
    this.detach = () => {
      meter.removeBatchObservableCallback(observe, all);
      for (const stop of stopListening) stop();
      this.#sayGoodbye(meter);
    };
  }

  /**
   * OpenTelemetry's SDK exports for ever what was observed last (opentelemetry-js#2997), and a permit of a pool that is
   * gone would be reported as held: so the gauges are observed once more, as zero.
   */
  #sayGoodbye(meter: Meter): void {
    const { limit, limitMin, limitMax, limitProposed, inFlight, waiting, oldestPermit } = this.#observables;
    const gauges = [limit, limitMax, inFlight, waiting, oldestPermit];
    const { adaptive } = this.#limiter.stats();
    if (adaptive !== undefined) gauges.push(limitMin);
    if (adaptive?.observe) gauges.push(limitProposed);
    const observeZeros = (result: BatchObservableResult) => {
      for (const gauge of gauges) result.observe(gauge, 0, this.#common);
      // Not at once: the SDK is walking its list of callbacks.
      queueMicrotask(() => meter.removeBatchObservableCallback(observeZeros, gauges));
    };
    meter.addBatchObservableCallback(observeZeros, gauges);
  }

  #countChange({ from, to, reason }: LimitChange): void {
    const counts = this.#changes[to > from ? 'up' : 'down'];
    const word = limitReason(reason);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }

  #observe(result: BatchObservableResult): void {
    const { limit, inFlight, waiting, maxConcurrentOps, oldestPermitMs, adaptive } = this.#limiter.stats();
    const observables = this.#observables;
    const common = this.#common;
    result.observe(observables.limit, limit, common);
    if (adaptive !== undefined) result.observe(observables.limitMin, adaptive.min, common);
    result.observe(observables.limitMax, adaptive?.max ?? maxConcurrentOps, common);
    if (adaptive?.observe) result.observe(observables.limitProposed, adaptive.proposedLimit, common);
    result.observe(observables.inFlight, inFlight, common);
    result.observe(observables.waiting, waiting, common);
    result.observe(observables.oldestPermit, oldestPermitMs / 1000, common);
    this.#observeClasses(result);
    this.#observeChanges(result, adaptive !== undefined);
  }

  #observeClasses(result: BatchObservableResult): void {
    const { admitted, rejected } = this.#observables;
    for (const operationClass of this.#limiter.gate.classes) {
      if (operationClass.admitted === 0 && operationClass.rejected.size === 0) continue;
      const attributes = { ...this.#common, 'floodgate.operation.class': operationClass.name };
      result.observe(admitted, operationClass.admitted, attributes);
      // From zero on: of a series that begins at 5, a rate misses those 5.
      for (const [reason, count] of new Map([['limit', 0], ...operationClass.rejected])) {
        result.observe(rejected, count, { ...attributes, 'floodgate.reason': reason });
      }
    }
  }

  #observeChanges(result: BatchObservableResult, adaptive: boolean): void {
    for (const [direction, counts] of Object.entries(this.#changes)) {
      for (const reason of new Set([...limitReasons(adaptive), ...counts.keys()])) {
        const attributes = {
          ...this.#common,
          'floodgate.direction': direction,
          'floodgate.reason': reason,
        };
        result.observe(this.#observables.limitChanges, counts.get(reason) ?? 0, attributes);
      }
    }
  }
}
