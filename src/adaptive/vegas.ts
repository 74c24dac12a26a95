import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { type ControllerRange, clamp, type ResolvedRange, resolveRange } from './controller-range.js';
import { limitInForce } from './limit-in-force.js';
import { unsoundFigure } from './unsound-figure.js';

/**
 * Keeps an estimated queue at the server between two bounds, per window, with lg = max(1, floor(log10 L)):
 *
 *     queue = ceil(L (1 - noLoad / latency)),  noLoad = least window mean so far, measured anew now and then
 *     overload:          L <- L - lg
 *     2 maxInFlight < L: hold
 *     queue <= lg:       L <- L + 6 lg
 *     queue <  3 lg:     L <- L + lg
 *     queue >  6 lg:     L <- L - lg
 *
 * Netflix concurrency-limits, `VegasLimit` behind `WindowedLimit` (commit 78a74b98). Every 30 L windows' worth of probes
 * noLoad is taken from the next window. A slower network or another mix looks like a queue to it. Where somebody else has
 * moved the limit (a guard, `resize`), it goes on from there.
 */
export class VegasController implements LimitController {
  readonly #range: ResolvedRange;
  #limit: number;
  #noLoad = Number.POSITIVE_INFINITY;
  #windows = 0;

  constructor(range: ControllerRange = {}) {
    this.#range = resolveRange('VegasController', range);
    this.#limit = this.#range.initial;
  }

  get limit(): number {
    return this.#limit;
  }

  onWindow(window: SampleWindow): LimitDecision {
    const { overloaded, meanLatency, maxInFlight } = window;
    this.#limit = limitInForce(window.limit, this.#limit, this.#range);
    const unsound = unsoundFigure(window);
    if (unsound !== undefined) return { limit: this.#limit, reason: unsound };
    const lg = Math.max(1, Math.floor(Math.log10(this.#limit)));
    if (overloaded > 0) return this.#moveBy(-lg, `${overloaded} overloads`);
    if (!(meanLatency > 0)) return this.#moveBy(0, 'no samples');
    if (++this.#windows >= PROBE_MULTIPLIER * this.#limit) {
      this.#windows = 0;
      this.#noLoad = meanLatency;
      return this.#moveBy(0, 'no-load latency measured anew');
    }
    if (meanLatency < this.#noLoad) {
      this.#noLoad = meanLatency;
      return this.#moveBy(0, 'least latency so far');
    }
    if (maxInFlight * 2 < this.#limit) return this.#moveBy(0, 'in flight below half of the limit');
    const queue = Math.ceil(this.#limit * (1 - this.#noLoad / meanLatency));
    const reason = `queue ${queue}`;
    if (queue <= lg) return this.#moveBy(6 * lg, reason);
    if (queue < 3 * lg) return this.#moveBy(lg, reason);
    return this.#moveBy(queue > 6 * lg ? -lg : 0, reason);
  }

  #moveBy(step: number, reason: string): LimitDecision {
    this.#limit = clamp(this.#limit + step, this.#range.min, this.#range.max);
    return { limit: this.#limit, reason };
  }
}

const PROBE_MULTIPLIER = 30;
