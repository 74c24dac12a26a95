import type { AdaptiveStats } from '../core/limiter-stats.js';
import { warnOnce } from '../core/observers.js';
import type { ResolvedAdaptiveOptions } from './adaptive-options.js';
import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { clamp } from './controller-range.js';
import { answersIn, FEWEST_OVERLOADS, overloadShare, percent } from './window-figures.js';

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
  #badInARow = 0;
  verdict: AdaptiveStats['verdict'] = 'idle';

  constructor(options: ResolvedAdaptiveOptions, now: number) {
    this.#options = options;
    this.#controller = options.controller;
    this.#knownAt = now;
  }

  /** Whether unimportant work should be refused outright. */
  get protecting(): boolean {
    return this.#controller.protecting ?? this.#badInARow >= BAD_IN_A_ROW;
  }

  get stale(): boolean {
    return this.verdict === 'stale';
  }

  onWindow(window: SampleWindow): LimitDecision {
    const { limit, endedAt } = window;
    const answers = answersIn(window);
    const traffic = window.admitted + window.rejected + window.ignored + window.maxInFlight;
    if (answers === 0 && traffic === 0) {
      this.#knownAt = endedAt;
      this.#badInARow = 0;
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
    const breach = this.#breachIn(window);
    const bad = breach !== undefined || overloadShare(window) > BAD_SHARE;
    this.#badInARow = bad ? this.#badInARow + 1 : 0;
    if (breach === undefined) return decision;
    const cut = Math.min(window.limit, window.maxInFlight) * GUARD_CUT;
    return decision.limit <= cut ? decision : { limit: cut, reason: `guard: ${breach}` };
  }

  #breachIn(window: SampleWindow): string | undefined {
    const { targetPoolWaitMs, targetLatencyMs, maxErrorRatio } = this.#options;
    const { meanPoolWait, p95 } = window;
    if (meanPoolWait > targetPoolWaitMs) {
      return `pool wait ${meanPoolWait.toFixed(1)} ms above ${targetPoolWaitMs} ms`;
    }
    if (p95 > targetLatencyMs) return `p95 ${p95.toFixed(1)} ms above ${targetLatencyMs} ms`;
    const errors = overloadShare(window);
    return errors > maxErrorRatio ? `errors ${percent(errors)} above ${maxErrorRatio * 100} %` : undefined;
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
const GUARD_CUT = 0.8;
const BAD_IN_A_ROW = 3;
const BAD_SHARE = 0.05;
/** Of the way, in the logarithm, each window. */
const DRIFT = 1 / 3;
