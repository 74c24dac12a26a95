import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { type ControllerRange, clamp, type ResolvedRange, resolveRange } from './controller-range.js';
import { KneeSeek } from './knee-seek.js';
import { LineSearch } from './line-search.js';
import { percent } from './window-figures.js';
import { YieldWatch } from './yield-watch.js';

/**
 * Asks the database itself: does a higher limit give more work? Needs no latency baseline, so a slower network, another
 * mix or a lucky sample can't mislead it. By the first line that applies:
 *
 *     overload > 50 % of answers:     L <- 0.5 L, and the good limit is remembered
 *     overload > 5 % (20 answers):    L <- 0.7 L, then a search downwards
 *     pool wait > 0.7 latency:        L <- 1.3 L latency / (latency + pool wait)
 *     after an outage:                L <- 2.8 L, up to 0.85 of what was remembered
 *     nothing refused:                hold; the limit is not what bounds
 *     at first, or the yield changed: {@link LineSearch}
 *     else:                           {@link KneeSeek}
 *
 * Knee seeking is this project's; the ideas it rests on are the throughput probing of MongoDB's execution control (here
 * with a test of significance) and Little's law: at e = 0.5 work rate / latency is greatest, lower targets favour work.
 * Below some 50 answers a second it needs minutes to tell noise from news; there a fixed limit may serve better.
 */
export class KneeController implements LimitController {
  readonly #range: ResolvedRange;
  readonly #seek: KneeSeek;
  readonly #watch = new YieldWatch();
  #limit: number;
  #changedAt = Number.NEGATIVE_INFINITY;
  #search: LineSearch | undefined;
  /** Where the first search, or one after mild overload, begins as soon as the limit binds. */
  #searchDue: 1 | -1 | undefined = 1;
  /** For mild overload, in a row. */
  #cuts = 0;
  /** The good limit from before an outage. */
  #remembered: number | undefined;

  constructor(range: ControllerRange = {}) {
    this.#range = resolveRange('KneeController', range);
    this.#seek = new KneeSeek(this.#range);
    this.#limit = this.#range.initial;
  }

  get limit(): number {
    return this.#limit;
  }

  onWindow(window: SampleWindow): LimitDecision {
    const { limit, reason } = this.#decide(window);
    this.#limit = clamp(limit, this.#range.min, this.#range.max);
    if (Math.round(this.#limit) !== window.limit) this.#changedAt = window.endedAt;
    return { limit: this.#limit, reason };
  }

  #decide(window: SampleWindow): LimitDecision {
    const { succeeded, failed, overloaded, rejected, limit, meanLatency, meanPoolWait } = window;
    const answers = succeeded + failed + overloaded;
    if (answers === 0) return { limit, reason: 'no answers: hold' };
    if (this.#isOfTheLimitBefore(window)) return { limit, reason: 'settling' };
    const errors = overloaded / answers;
    if (overloaded >= 3 && (errors > OUTAGE || (errors > OVERLOADED && answers >= 20))) {
      return this.#cut(window, errors);
    }
    if (meanPoolWait > 0.7 * meanLatency) {
      const share = meanLatency / (meanLatency + meanPoolWait);
      return this.#go(Math.min(limit, limit * share * 1.3), `pool wait ${meanPoolWait.toFixed(1)} ms: cut`);
    }
    this.#cuts = 0;
    if (this.#remembered !== undefined) return this.#recover(limit, this.#remembered);
    this.#adopt(limit);
    this.#watch.learnRefused(window);
    if (rejected === 0) return this.#fits(limit);
    if (succeeded === 0 || !(window.workRate > 0)) return { limit, reason: 'no work done: hold' };
    if (this.#search === undefined && this.#startsSearch(window)) {
      // This window saw the change itself: it is of two worlds.
      return { limit, reason: 'the yield has changed: search' };
    }
    if (this.#search !== undefined) return this.#onSearch(this.#search, window);
    return this.#seek.onWindow(window, this.#watch.refused);
  }

  #cut({ limit, maxInFlight }: SampleWindow, errors: number): LimitDecision {
    const used = Math.min(limit, Math.max(1, maxInFlight));
    const outage = errors > OUTAGE || this.#remembered !== undefined;
    const reason = `overload ${percent(errors)} of answers: cut`;
    if (!outage) {
      this.#searchDue = ++this.#cuts >= IN_VAIN ? 1 : -1;
      return this.#go(used * 0.7, reason);
    }
    this.#remembered ??= this.#seek.center;
    return this.#go(used * 0.5, reason);
  }

  #recover(limit: number, remembered: number): LimitDecision {
    const goal = 0.85 * remembered;
    if (limit * RECOVERY < goal) return this.#go(limit * RECOVERY, `recovering towards ${goal.toFixed(0)}`);
    this.#remembered = undefined;
    return this.#go(Math.max(goal, limit), 'recovered');
  }

  #fits(limit: number): LimitDecision {
    this.#seek.pause();
    const reason = 'limit not reached: hold';
    // Somewhere between the last two limits of the search the load began to fit.
    if (this.#search !== undefined) return this.#go(Math.sqrt(limit * this.#search.from(limit)), reason);
    return { limit: this.#seek.center, reason };
  }

  #startsSearch(window: SampleWindow): boolean {
    if (this.#searchDue !== undefined) {
      const first = this.#searchDue === 1;
      if (first && this.#watch.refused < FIRST_SEARCH) return false;
      this.#search = new LineSearch(window.limit, this.#searchDue, this.#range);
      this.#searchDue = undefined;
      this.#watch.restart();
      return false;
    }
    const direction = this.#watch.changeIn(window, this.#seek.offCenter(window), this.#seek.noise(window));
    if (direction === 0) return false;
    this.#search = new LineSearch(window.limit, direction, this.#range);
    return true;
  }

  #onSearch(search: LineSearch, window: SampleWindow): LimitDecision {
    const limit = search.onWindow(window);
    const { reason } = search;
    if (!search.done) {
      this.#seek.restart(limit);
      return { limit, reason };
    }
    this.#watch.restart();
    return this.#go(limit, reason);
  }

  /** Operations take long against the window, and it began before the last change could show. */
  #isOfTheLimitBefore({ startedAt, endedAt, meanLatency }: SampleWindow): boolean {
    return endedAt - startedAt < 4 * meanLatency && startedAt < this.#changedAt + 0.9 * meanLatency;
  }

  /** Somebody else has moved the limit (a governor's bound, `resize`): go on from there. */
  #adopt(limit: number): void {
    if (Math.abs(Math.log(limit / this.#limit)) < 0.1 || Math.abs(limit - this.#limit) <= 1) return;
    this.#search = undefined;
    this.#seek.restart(limit);
  }

  #go(limit: number, reason: string): LimitDecision {
    this.#search = undefined;
    this.#seek.restart(limit);
    return { limit: this.#seek.center, reason };
  }
}

const OVERLOADED = 0.05;
const OUTAGE = 0.5;
/** Times, each window. */
const RECOVERY = 2.8;
/** Cuts in a row that did not help: then the overload is not this limit's doing. */
const IN_VAIN = 4;
const FIRST_SEARCH = 0.1;
