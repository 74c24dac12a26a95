import { complaint, millisecondsAboveZero, numberFrom } from '../core/option-checks.js';
import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { type ControllerRange, clamp, type ResolvedRange, resolveRange } from './controller-range.js';
import { limitInForce } from './limit-in-force.js';
import { unsoundFigure } from './unsound-figure.js';

export interface ThresholdOptions extends ControllerRange {
  /** Below this p95 the limit may grow. Milliseconds, above 0. @default 250, or badLatencyMs if that is less */
  readonly healthyLatencyMs?: number | undefined;
  /** Above this p95 it shrinks. Milliseconds, from healthyLatencyMs. @default 500, or healthyLatencyMs if that is more */
  readonly badLatencyMs?: number | undefined;
  /** Up to this share of overloads the limit may grow: 0 to 1. @default 0.01, or badErrorRatio if that is less */
  readonly healthyErrorRatio?: number | undefined;
  /** Above this share it shrinks: healthyErrorRatio to 1. @default 0.02, or healthyErrorRatio if that is more */
  readonly badErrorRatio?: number | undefined;
}

/**
 * The rule of operations handbooks, per window:
 *
 *     p95 > bad or errors > 2 %:                             L <- 0.80 L
 *     p95 < healthy, errors <= 1 % and the limit was used: L <- 1.05 L (at least one permit)
 *
 * After three bad windows in a row {@link protecting} is true until a window is not bad. For services that know what
 * latency is good; the windows of such rules are a minute, here they are whatever the limiter gathers. Where somebody else
 * has moved the limit (a guard, `resize`), it goes on from there.
 */
export class ThresholdController implements LimitController {
  readonly #range: ResolvedRange;
  readonly #latencyMs: Bounds;
  readonly #errors: Bounds;
  #limit: number;
  #badInARow = 0;

  /** @throws TypeError | RangeError naming the option, the rule and the value */
  constructor(options: ThresholdOptions = {}) {
    this.#range = resolveRange('ThresholdController', options, CHECKS);
    this.#latencyMs = boundsOf(options, 'healthyLatencyMs', 250, 'badLatencyMs', 500);
    this.#errors = boundsOf(options, 'healthyErrorRatio', 0.01, 'badErrorRatio', 0.02);
    this.#limit = this.#range.initial;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Unimportant work should be refused outright. */
  get protecting(): boolean {
    return this.#badInARow >= 3;
  }

  onWindow(window: SampleWindow): LimitDecision {
    const { p95, succeeded, failed, overloaded, maxInFlight, rejected } = window;
    this.#limit = limitInForce(window.limit, this.#limit, this.#range);
    const unsound = unsoundFigure(window);
    if (unsound !== undefined) return { limit: this.#limit, reason: unsound };
    const ended = succeeded + failed + overloaded;
    if (ended === 0) return { limit: this.#limit, reason: 'no samples' };
    const errors = overloaded / ended;
    const bad = p95 > this.#latencyMs.bad || errors > this.#errors.bad;
    this.#badInARow = bad ? this.#badInARow + 1 : 0;
    const { min, max } = this.#range;
    const figures = `p95 ${Number.isNaN(p95) ? 'unknown' : `${Math.round(p95)} ms`}, errors ${(errors * 100).toFixed(1)} %`;
    if (bad) {
      this.#limit = clamp(this.#limit * 0.8, min, max);
      return { limit: this.#limit, reason: `${figures}: bad${this.protecting ? ', protecting' : ''}` };
    }
    const used = rejected > 0 || maxInFlight >= 0.8 * this.#limit;
    if (used && p95 < this.#latencyMs.healthy && errors <= this.#errors.healthy) {
      this.#limit = clamp(Math.max(this.#limit + 1, this.#limit * 1.05), min, max);
      return { limit: this.#limit, reason: `${figures}: healthy` };
    }
    return { limit: this.#limit, reason: `${figures}: hold` };
  }
}

interface Bounds {
  readonly healthy: number;
  readonly bad: number;
}

const CHECKS = {
  healthyLatencyMs: millisecondsAboveZero(),
  badLatencyMs: millisecondsAboveZero(),
  healthyErrorRatio: numberFrom(0, 1),
  badErrorRatio: numberFrom(0, 1),
};

/** A bound that is not given gives way to the one that is. */
function boundsOf(
  options: ThresholdOptions,
  healthyName: keyof typeof CHECKS,
  defaultHealthy: number,
  badName: keyof typeof CHECKS,
  defaultBad: number,
): Bounds {
  const healthy = options[healthyName] ?? Math.min(defaultHealthy, options[badName] ?? defaultHealthy);
  const bad = options[badName] ?? Math.max(defaultBad, healthy);
  if (healthy > bad) throw new RangeError(complaint(healthyName, `at most ${badName} (${bad})`, healthy));
  return { healthy, bad };
}
