import type { AdaptiveStats } from '../core/limiter-stats.js';
import { warnOnce } from '../core/observers.js';
import type { ResolvedAdaptiveOptions } from './adaptive-options.js';
import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { clamp } from './controller-range.js';

/**
 * Bounds what any controller may do: the limit stays an integer within `min` and `max` and moves at most by
 * `maxChangePerSecond`; windows that a stall of this process touched, or that hold next to nothing, are not believed; a
 * controller that throws or answers nonsense holds the limit and is reported once.
 *
 * Without figures for `staleAfterMs` while there is traffic, the limit drifts to `fallback`: missing is never zero.
 */
export class Governor {
  readonly #options: ResolvedAdaptiveOptions;
  readonly #controller: LimitController;
  #knownAt: number;
  verdict: AdaptiveStats['verdict'] = 'idle';

  constructor(options: ResolvedAdaptiveOptions, now: number) {
    this.#options = options;
    this.#controller = options.controller;
    this.#knownAt = now;
  }

  get stale(): boolean {
    return this.verdict === 'stale';
  }

  onWindow(window: SampleWindow): LimitDecision {
    const { limit, endedAt } = window;
    const answers = window.succeeded + window.failed + window.overloaded;
    const traffic = window.admitted + window.rejected + window.ignored + window.maxInFlight;
    if (answers === 0 && traffic === 0) {
      this.#knownAt = endedAt;
      return this.#hold('idle', limit, 'no traffic');
    }
    const stalled = window.stalledMs > 0;
    if (stalled || answers === 0) {
      if (endedAt - this.#knownAt >= this.#options.staleAfterMs) return this.#drift(window);
      if (stalled) {
        return this.#hold(
          'stalled',
          limit,
          `event loop stalled ${Math.round(window.stalledMs)} ms: not believed`,
        );
      }
      return this.#hold('few-samples', limit, 'no answers');
    }
    this.#knownAt = endedAt;
    if (answers < FEWEST && window.overloaded < FEWEST_OVERLOADS) {
      return this.#hold('few-samples', limit, `${answers} answers are too few`);
    }
    const decision = this.#guarded(window, this.#ask(window));
    return { limit: this.#bounded(window, decision.limit), reason: decision.reason };
  }

  #ask(window: SampleWindow): LimitDecision {
    try {
      const decision = this.#controller.onWindow(window);
      if (!Number.isFinite(decision.limit)) throw new TypeError(`it answered the limit ${decision.limit}`);
      this.verdict = 'used';
      return { limit: decision.limit, reason: String(decision.reason) };
    } catch (error) {
      warnOnce('the limit controller', error);
      return this.#hold('controller-failed', window.limit, 'the controller failed: limit held');
    }
  }

  /** The absolute bounds that a user may set, whatever the controller thinks. */
  #guarded(window: SampleWindow, decision: LimitDecision): LimitDecision {
    const { targetPoolWaitMs, targetLatencyMs, maxErrorRatio } = this.#options;
    const errors = window.overloaded / (window.succeeded + window.failed + window.overloaded);
    const breach =
      window.meanPoolWait > targetPoolWaitMs
        ? `pool wait ${window.meanPoolWait.toFixed(1)} ms above ${targetPoolWaitMs} ms`
        : window.p95 > targetLatencyMs
          ? `p95 ${window.p95.toFixed(1)} ms above ${targetLatencyMs} ms`
          : errors > maxErrorRatio
            ? `errors ${(errors * 100).toFixed(1)} % above ${maxErrorRatio * 100} %`
            : undefined;
    if (breach === undefined) return decision;
    const cut = Math.min(window.limit, window.maxInFlight) * GUARD_CUT;
    return decision.limit <= cut ? decision : { limit: cut, reason: `guard: ${breach}` };
  }

  #drift({ limit }: SampleWindow): LimitDecision {
    const { fallback } = this.#options;
    const step = limit * (fallback / limit) ** DRIFT;
    const next = fallback > limit ? Math.ceil(step) : Math.floor(step);
    return this.#hold('stale', next, `no figures: drift to the fallback ${fallback}`);
  }

  #bounded({ limit, startedAt, endedAt }: SampleWindow, wanted: number): number {
    const { min, max, maxChangePerSecond } = this.#options;
    const factor = maxChangePerSecond ** Math.max(0.1, (endedAt - startedAt) / 1000);
    const paced = clamp(wanted, limit / factor, Math.max(limit * factor, limit + 1));
    return clamp(Math.round(paced), min, max);
  }

  #hold(verdict: AdaptiveStats['verdict'], limit: number, reason: string): LimitDecision {
    this.verdict = verdict;
    return { limit, reason };
  }
}

const FEWEST = 5;
const FEWEST_OVERLOADS = 3;
const GUARD_CUT = 0.8;
/** Of the way, in the logarithm, each window. */
const DRIFT = 1 / 3;
