import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { type ControllerRange, clamp, type ResolvedRange, resolveRange } from './controller-range.js';
import { limitInForce } from './limit-in-force.js';
import { unsoundFigure } from './unsound-figure.js';

/**
 * Follows the ratio of a slow average of latency to the present one, per window:
 *
 *     long <- slow average over 600 windows (the first 10: plain mean); if long > 2 latency: long <- 0.95 long
 *     2 maxInFlight < L: hold
 *     gradient = clamp(1.5 long / latency, 0.5, 1)
 *     L <- 0.8 L + 0.2 (gradient L + 4)
 *
 * Netflix concurrency-limits, `Gradient2Limit` behind `WindowedLimit` (commit 78a74b98). Overload outcomes are not read.
 * While the gradient is 1 it grows without end, and the slow average in time takes an overload for normal. Where somebody
 * else has moved the limit (a guard, `resize`), it goes on from there.
 */
export class Gradient2Controller implements LimitController {
  readonly #range: ResolvedRange;
  #limit: number;
  #long = 0;
  #windows = 0;

  constructor(range: ControllerRange = {}) {
    this.#range = resolveRange('Gradient2Controller', range);
    this.#limit = this.#range.initial;
  }

  get limit(): number {
    return this.#limit;
  }

  onWindow(window: SampleWindow): LimitDecision {
    const { meanLatency, maxInFlight } = window;
    this.#limit = limitInForce(window.limit, this.#limit, this.#range);
    const unsound = unsoundFigure(window);
    if (unsound !== undefined) return { limit: this.#limit, reason: unsound };
    if (!(meanLatency > 0)) return { limit: this.#limit, reason: 'no samples' };
    this.#windows++;
    const factor = this.#windows <= WARM_UP ? 1 / this.#windows : 2 / (LONG_WINDOWS + 1);
    this.#long += (meanLatency - this.#long) * factor;
    if (this.#long > 2 * meanLatency) this.#long *= 0.95;
    if (maxInFlight < this.#limit / 2) {
      return { limit: this.#limit, reason: 'in flight below half of the limit' };
    }
    const gradient = clamp((TOLERANCE * this.#long) / meanLatency, 0.5, 1);
    const aim = gradient * this.#limit + QUEUE;
    const { min, max } = this.#range;
    this.#limit = clamp((1 - SMOOTHING) * this.#limit + SMOOTHING * aim, min, max);
    return { limit: this.#limit, reason: `gradient ${gradient.toFixed(2)}` };
  }
}

const LONG_WINDOWS = 600;
const WARM_UP = 10;
const TOLERANCE = 1.5;
const QUEUE = 4;
const SMOOTHING = 0.2;
