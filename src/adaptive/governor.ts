import type { AdaptiveStats } from '../core/limiter-stats.js';
import type { ResolvedAdaptiveOptions } from './adaptive-options.js';
import { askController, type ControllerFailure } from './ask-controller.js';
import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { clamp } from './controller-range.js';
import { answersIn, FEWEST_OVERLOADS, overloadShare, percent } from './window-figures.js';

/**
 * Bounds what any controller may do: the limit stays an integer within `min` and `max` and moves at most by
 * `maxChangePerSecond`; windows that a stall of this process touched, or that hold next to nothing, are not believed; a
 * controller that throws or answers nonsense holds the limit, is reported once, and is asked again at the next window.
 *
 * Without figures for `staleAfterMs` while there is traffic, the limit drifts to `fallback`: missing is never zero.
 *
 * In shadow mode the limit in force stays where it is, and what is proposed goes on from the last proposal: nobody has
 * proposed the limit in force by holding it.
 */
export class Governor {
  readonly #options: ResolvedAdaptiveOptions;
  readonly #controller: LimitController;
  readonly #limiter: string;
  #knownAt: number;
  #badInARow = 0;
  #stalledInARow = 0;
  /** The limit is below what the controller wants, since a guard has cut it. */
  #cutByGuard = false;
  /** What was decided last: in force, but for shadow mode. */
  #decided: number;
  #reported = false;
  verdict: AdaptiveStats['verdict'] = 'idle';

  /** @param limiter its name, for the report of a controller that fails */
  constructor(options: ResolvedAdaptiveOptions, now: number, limiter: string) {
    this.#options = options;
    this.#controller = options.controller;
    this.#limiter = limiter;
    this.#decided = options.initial;
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
    const from = this.#options.observe ? this.#decided : window.limit;
    const { limit, reason } = this.#decide(window, from);
    const { min, max } = this.#options;
    // A limit that somebody has set outside of its bounds comes back, whatever the window was.
    this.#decided = clamp(Math.round(limit), min, max);
    return { limit: this.#decided, reason };
  }

  /** @param from the limit to go on from, and to hold */
  #decide(window: SampleWindow, from: number): LimitDecision {
    const { endedAt } = window;
    const answers = answersIn(window);
    const traffic = window.admitted + window.rejected + window.ignored + window.maxInFlight;
    if (answers === 0 && traffic === 0) {
      this.#knownAt = endedAt;
      this.#badInARow = 0;
      return this.#hold('idle', from, 'no traffic');
    }
    const stalled = this.#isStalled(window);
    if (stalled || answers === 0) {
      if (endedAt - this.#knownAt >= this.#options.staleAfterMs) return this.#drift(from);
      if (stalled) {
        return this.#hold(
          'stalled',
          from,
          `event loop stalled ${Math.round(window.stalledMs)} ms: not believed`,
        );
      }
      return this.#hold('few-samples', from, 'no answers');
    }
    this.#knownAt = endedAt;
    if (answers < FEWEST && window.overloaded < FEWEST_OVERLOADS) {
      return this.#hold('few-samples', from, `${answers} answers are too few`);
    }
    const { limit, reason } = this.#guarded(window, from, this.#ask(window, from));
    return { limit: this.#paced(window, from, limit), reason };
  }

  /** Where no window is without stalls, those of which little is lost are all that there is to go by. */
  #isStalled({ startedAt, endedAt, stalledMs }: SampleWindow): boolean {
    this.#stalledInARow = stalledMs > 0 ? this.#stalledInARow + 1 : 0;
    const usual = this.#stalledInARow > STALLS_IN_A_ROW && stalledMs < LITTLE * (endedAt - startedAt);
    return stalledMs > 0 && !usual;
  }

  #ask(window: SampleWindow, from: number): LimitDecision {
    const answer = askController(this.#controller, window);
    if ('failure' in answer) {
      this.#report(answer);
      return this.#hold('controller-failed', from, `${answer.failure}: limit held`);
    }
    this.verdict = 'used';
    return answer.limit === window.limit ? { ...answer, limit: from } : answer;
  }

  /** It may fail at every window; one warning is enough. */
  #report({ failure, detail }: ControllerFailure): void {
    if (this.#reported) return;
    this.#reported = true;
    const whatNow = 'The limit is held, and the controller is asked again at the next window.';
    process.emitWarning(`limiter '${this.#limiter}': ${failure}. ${whatNow} ${detail}`.trimEnd(), {
      type: 'FloodgateWarning',
      code: 'FLOODGATE_CONTROLLER_FAILED',
    });
  }

  /** The absolute bounds that a user may set, whatever the controller thinks. */
  #guarded(window: SampleWindow, from: number, decision: LimitDecision): LimitDecision {
    const breach = this.#breachIn(window);
    const bad = breach !== undefined || overloadShare(window) > BAD_SHARE;
    this.#badInARow = bad ? this.#badInARow + 1 : 0;
    const used = Math.min(window.limit, window.maxInFlight);
    const most = breach === undefined ? this.#back(from) : Math.min(used * GUARD_CUT, used - 1);
    this.#cutByGuard = decision.limit > most;
    if (!this.#cutByGuard) return decision;
    return {
      limit: most,
      reason: breach === undefined ? 'guard: kept, back by a tenth a window' : `guard: ${breach}`,
    };
  }

  /** The way back from a guard's cut: a controller that knows nothing of the cut would be back at once, and cut again. */
  #back(from: number): number {
    return this.#cutByGuard ? Math.max(from + 1, from * GUARD_RISE) : Number.POSITIVE_INFINITY;
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

  #drift(from: number): LimitDecision {
    const { fallback } = this.#options;
    const step = from * (fallback / from) ** DRIFT;
    const next = fallback > from ? Math.ceil(step) : Math.floor(step);
    return this.#hold('stale', next, `no figures: drift to the fallback ${fallback}`);
  }

  #paced({ startedAt, endedAt }: SampleWindow, from: number, wanted: number): number {
    const factor = this.#options.maxChangePerSecond ** Math.max(0.1, (endedAt - startedAt) / 1000);
    return clamp(wanted, Math.min(from / factor, from - 1), Math.max(from * factor, from + 1));
  }

  #hold(verdict: AdaptiveStats['verdict'], limit: number, reason: string): LimitDecision {
    this.verdict = verdict;
    return { limit, reason };
  }
}

const FEWEST = 5;
const GUARD_CUT = 0.8;
const GUARD_RISE = 1.1;
const BAD_IN_A_ROW = 3;
const BAD_SHARE = 0.05;
/** Windows. */
const STALLS_IN_A_ROW = 4;
/** Of a window. */
const LITTLE = 0.3;
/** Of the way, in the logarithm, each window. */
const DRIFT = 1 / 3;
