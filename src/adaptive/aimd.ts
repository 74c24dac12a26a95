import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { type ControllerRange, clamp, type ResolvedRange, resolveRange } from './controller-range.js';
import { limitInForce } from './limit-in-force.js';
import { unsoundFigure } from './unsound-figure.js';

/**
 * Additive increase, multiplicative decrease, per window:
 *
 *     overload in the window, or mean latency > 5 s:  L <- 0.9 L
 *     else, when 2 maxInFlight >= L:                  L <- L + 1
 *
 * The rule and its figures are those of Netflix concurrency-limits, `AIMDLimit` (commit 78a74b98), which applies it to
 * each sample. It sees only what fails: nothing slows it before timeouts do. Where somebody else has moved the limit (a
 * guard, `resize`), it goes on from there.
 */
export class AimdController implements LimitController {
  readonly #range: ResolvedRange;
  #limit: number;

  constructor(range: ControllerRange = {}) {
    this.#range = resolveRange('AimdController', range);
    this.#limit = this.#range.initial;
  }

  get limit(): number {
    return this.#limit;
  }

  onWindow(window: SampleWindow): LimitDecision {
    const { overloaded, meanLatency, maxInFlight } = window;
    const { min, max } = this.#range;
    this.#limit = limitInForce(window.limit, this.#limit, this.#range);
    const unsound = unsoundFigure(window);
    if (unsound !== undefined) return { limit: this.#limit, reason: unsound };
    let reason = 'in flight below half of the limit';
    if (overloaded > 0 || meanLatency > TIMEOUT_MS) {
      this.#limit = clamp(this.#limit * BACKOFF, min, max);
      reason = `${overloaded} overloads`;
    } else if (maxInFlight * 2 >= this.#limit) {
      this.#limit = clamp(this.#limit + 1, min, max);
      reason = 'no overload';
    }
    return { limit: this.#limit, reason };
  }
}

const BACKOFF = 0.9;
const TIMEOUT_MS = 5000;
