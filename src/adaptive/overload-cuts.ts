import { Ceiling } from './ceiling.js';
import type { LimitDecision, SampleWindow } from './controller.js';
import {
  answersIn,
  FEWEST_OVERLOADS,
  isFilling,
  isOutage,
  OUTAGE,
  overloadShare,
  percent,
  smoothed,
} from './window-figures.js';

/**
 * What answers that met overload (refused connections, timeouts) mean for the limit, whatever else a window shows:
 *
 *     > 50 % of answers:   L <- 0.5 L, and the good limit is remembered, if there ever was one
 *     >  5 % (20 answers): L <- 0.7 L; after three cuts that did not halve the share, back to where it was
 *     after an outage:     L <- 2.8 L, up to 0.85 of what was remembered, or 0.7 of that at each relapse
 *
 * Where much was refused and one or two cuts were enough, it has met a {@link Ceiling}. A share that cuts did not lower, or
 * that has long been there, is usual: only twice as much is overload again.
 */
export class OverloadCuts {
  /** The good limit from before an outage. */
  #remembered: number | undefined;
  /** Whether there ever was a window without overload at a limit that was found or not reached: where it begins may be anywhere. */
  #proven = false;
  #cameBack = false;
  /** The good limit from before the last outage, and in how many windows yet somebody may ask for it. */
  #wasGood = 0;
  #windowsBack = 0;
  /** Share, slowly followed: cuts did not help against it. */
  #usual = 0;
  #cuts = 0;
  readonly ceiling = new Ceiling();
  /** Where much of the answers met overload, since the last window without. */
  #refused: { readonly limit: number; readonly workRate: number; readonly most: boolean } | undefined;
  #cutsInARow = 0;
  #limitBefore = 1;
  #shareBefore = 0;

  /** From an outage: every window counts. */
  get recovering(): boolean {
    return this.#remembered !== undefined;
  }

  /**
   * Whether an outage is just over, and the response is plainly longer at no more than did well before: then what was known of
   * it is of another time, as where caches are cold. Asked once for each window.
   *
   * @param ratio of the response to what it was without queueing, less what may be chance
   */
  isBackSlower(limit: number, ratio: number): boolean {
    return --this.#windowsBack > 0 && limit <= this.#wasGood && ratio > SLOWER;
  }

  /**
   * @param good where the limit rests
   * @param known whether the response without a line is known, so that this limit was found, not given
   * @returns nothing if this window is none of its business
   */
  onWindow(window: SampleWindow, good: number, known: boolean): LimitDecision | undefined {
    const { succeeded, overloaded, limit } = window;
    const share = overloadShare(window);
    const outage = isOutage(window);
    const unusual = share > Math.max(OVERLOADED, 2 * this.#usual) && answersIn(window) >= 20;
    if (share <= OUTAGE) this.#usual = smoothed(this.#usual, share, 0.05);
    if (outage || (unusual && overloaded >= FEWEST_OVERLOADS)) {
      return this.#cut(window, share, outage || this.#remembered !== undefined, good);
    }
    this.#cuts = 0;
    this.#learnCeiling(window);
    const fits = window.rejected === 0 && !isFilling(window);
    if (succeeded > 0 && share <= OVERLOADED && (known || fits)) this.#proven = true;
    return this.#remembered === undefined
      ? undefined
      : this.#recover(limit, GOAL * this.#remembered, succeeded > overloaded);
  }

  /** Much was refused, while as much work was done as now: it takes so many at once and no more. An outage does no work. */
  #learnCeiling({ workRate, endedAt, overloaded, maxInFlight, limit }: SampleWindow): void {
    const refused = this.#refused;
    if (overloaded === 0) this.ceiling.passed(Math.min(maxInFlight, limit));
    // Where it was not most, it may have been the line: then a lower limit does as much.
    const least = refused?.most ? workRate / 2 : workRate;
    if (refused !== undefined && this.#cutsInARow <= 2 && refused.workRate > least) {
      this.ceiling.met(refused.limit, endedAt);
    }
    this.#refused = undefined;
    this.#cutsInARow = 0;
  }

  #cut(
    { limit, maxInFlight, workRate }: SampleWindow,
    share: number,
    outage: boolean,
    good: number,
  ): LimitDecision {
    const used = Math.min(limit, Math.max(1, maxInFlight));
    this.#cutsInARow++;
    if (share > MUCH) this.#refused ??= { limit: used, workRate, most: outage };
    const reason = `overload ${percent(share)} of answers`;
    const { belowTrial = used } = this.ceiling;
    if (belowTrial < used && this.#cutsInARow === 1 && this.#remembered === undefined) {
      return { limit: belowTrial, reason: `${reason}: no more is taken than before` };
    }
    if (outage) {
      // It has come back to where it fails; what fails at far less, as servers do that are still being started, tells nothing.
      if (this.#cameBack && this.#remembered !== undefined) {
        if (used > this.#remembered * SOME) this.#wasGood = this.#remembered *= RELAPSE;
      } else if (this.#proven && this.#remembered === undefined) {
        this.#wasGood = this.#remembered = this.#windowsBack > 0 ? Math.max(good, this.#wasGood) : good;
      }
      this.#cameBack = false;
      return { limit: used * 0.5, reason: `${reason}: cut` };
    }
    if (this.#cuts++ === 0) {
      this.#limitBefore = good;
      this.#shareBefore = share;
    }
    // It is not this limit's doing.
    if (this.#cuts > IN_VAIN && share > this.#shareBefore / 2) {
      this.#usual = share;
      return { limit: Math.max(used, this.#limitBefore), reason: `${reason}: cuts do not help` };
    }
    return { limit: used * 0.7, reason: `${reason}: cut` };
  }

  #recover(limit: number, goal: number, answered: boolean): LimitDecision {
    this.#cameBack = answered;
    if (limit * RECOVERY < goal) {
      return { limit: limit * RECOVERY, reason: `recovering towards ${goal.toFixed(0)}` };
    }
    this.#remembered = undefined;
    this.#cameBack = false;
    this.#windowsBack = BACK;
    return { limit: Math.max(goal, limit), reason: 'recovered' };
  }
}

/** Shares of the answers. */
const OVERLOADED = 0.05;
const MUCH = 0.15;
/** Windows. */
const BACK = 12;
const SLOWER = 1.5;
/** Of the good limit: where it goes back to, and what remains of it when that fails. */
const GOAL = 0.85;
const SOME = 0.3;
const RELAPSE = 0.7;
/** Cuts in a row. */
const IN_VAIN = 3;
/** Times, each window. */
const RECOVERY = 2.8;
