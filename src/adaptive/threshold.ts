import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { type ControllerRange, clamp, type ResolvedRange, resolveRange } from './controller-range.js';

export interface ThresholdOptions extends ControllerRange {
  /** Below this p95 (and {@link healthyErrorRatio}) the limit grows. Milliseconds. @default 250 */
  readonly healthyLatencyMs?: number | undefined;
  /** Above this p95 it shrinks. Milliseconds. @default 500 */
  readonly badLatencyMs?: number | undefined;
  /** Share of overloads, 0 to 1. @default 0.01 */
  readonly healthyErrorRatio?: number | undefined;
  /** Share of overloads, 0 to 1. @default 0.02 */
  readonly badErrorRatio?: number | undefined;
}

/**
 * The rule of operations handbooks, per window:
 *
 *     p95 > bad or errors > 2 %:                             L <- 0.80 L
 *     p95 < healthy and errors < 1 % and the limit was used: L <- 1.05 L (at least one permit)
 *
 * After three bad windows in a row {@link protecting} is true until a window is not bad. For services that know what
 * latency is good; the windows of such rules are a minute, here they are whatever the limiter gathers.
 */
export class ThresholdController implements LimitController {
  readonly #range: ResolvedRange;
  readonly #options: ThresholdOptions;
  #limit: number;
  #badInARow = 0;

  constructor(options: ThresholdOptions = {}) {
    const { initial, min, max } = options;
    this.#range = resolveRange('ThresholdController', { initial, min, max });
    this.#options = options;
    this.#limit = this.#range.initial;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Unimportant work should be refused outright. */
  get protecting(): boolean {
    return this.#badInARow >= 3;
  }

  onWindow({ p95, succeeded, failed, overloaded, maxInFlight, rejected }: SampleWindow): LimitDecision {
    const {
      healthyLatencyMs = 250,
      badLatencyMs = 500,
      healthyErrorRatio = 0.01,
      badErrorRatio = 0.02,
    } = this.#options;
    const ended = succeeded + failed + overloaded;
    if (ended === 0) return { limit: this.#limit, reason: 'no samples' };
    const errors = overloaded / ended;
    const bad = p95 > badLatencyMs || errors > badErrorRatio;
    this.#badInARow = bad ? this.#badInARow + 1 : 0;
    const { min, max } = this.#range;
    const figures = `p95 ${Number.isNaN(p95) ? 'unknown' : `${Math.round(p95)} ms`}, errors ${(errors * 100).toFixed(1)} %`;
    if (bad) {
      this.#limit = clamp(this.#limit * 0.8, min, max);
      return { limit: this.#limit, reason: `${figures}: bad${this.protecting ? ', protecting' : ''}` };
    }
    const used = rejected > 0 || maxInFlight >= 0.8 * this.#limit;
    if (used && p95 < healthyLatencyMs && errors < healthyErrorRatio) {
      this.#limit = clamp(Math.max(this.#limit + 1, this.#limit * 1.05), min, max);
      return { limit: this.#limit, reason: `${figures}: healthy` };
    }
    return { limit: this.#limit, reason: `${figures}: hold` };
  }
}
