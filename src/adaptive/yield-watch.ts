import type { SampleWindow } from './controller.js';
import { loadShare, offeredRate, refusedShare } from './window-figures.js';

/**
 * Notices that the limit's yield has changed while it was binding: the database has become stronger or weaker, or the
 * load has just come to exceed the limit. Two cumulative sums (Page's test) of the change in standard deviations, against
 * a level that follows slowly: a lasting shift by 2 is seen after 6 windows, one by 8 after one.
 */
export class YieldWatch {
  #level = Number.NaN;
  #refused = 0;
  /** Of the yield around the level, as it has been. */
  #variance = 0;
  #risen = 0;
  #fallen = 0;
  /** Windows since the level was last begun. */
  #seen = 0;

  /** Of late, smoothed. */
  get refused(): number {
    return this.#refused;
  }

  /** To be told of every window, before {@link changeIn}. */
  learnRefused(window: SampleWindow): void {
    this.#refused += (refusedShare(window) - this.#refused) * 0.3;
  }

  /**
   * @param atCenter what the logarithm of the work rate owes to the window's limit being off the center
   * @param noise relative, of the work rate
   * @returns where to look first: 1 up, -1 down; 0 if there is no change
   */
  changeIn(window: SampleWindow, atCenter: number, noise: number): 1 | 0 | -1 {
    const refused = refusedShare(window);
    if (refused < BINDING || this.#refused < BINDING) {
      this.#risen = this.#fallen = 0;
      this.#level = Number.NaN;
      return 0;
    }
    const share = loadShare(refused);
    const load = share === 0 ? 0 : share * Math.log(offeredRate(window));
    const now = Math.log(window.workRate) - load - atCenter;
    if (Number.isNaN(this.#level)) {
      if (refused < EXCEEDED) return 0;
      this.#level = now;
      return -1;
    }
    if (this.#seen === 0) this.#level = now;
    this.#seen++;
    const change = now - this.#level;
    // Other processes at the same database move the yield as well: what is usual here counts, if it is more.
    const sigma = Math.max(0.03, noise, Math.sqrt(this.#variance));
    const sigmas = change / sigma;
    this.#variance += (Math.min(change ** 2, (3 * sigma) ** 2) - this.#variance) * 0.1;
    this.#risen = Math.max(0, this.#risen + sigmas - ALLOWED);
    this.#fallen = Math.max(0, this.#fallen - sigmas - ALLOWED);
    const restless = Math.sqrt(this.#variance) > RESTLESS * Math.max(0.03, noise);
    if (!restless && Math.max(this.#risen, this.#fallen) > (this.#seen < RECENT ? 2 * ENOUGH : ENOUGH)) {
      this.#risen = this.#fallen = 0;
      this.#level = now;
      return change > 0 ? 1 : -1;
    }
    this.#level += change * Math.max(0.06, 1 / this.#seen);
    return 0;
  }

  /** The limit has been searched for anew: the next window begins the level. */
  restart(): void {
    if (Number.isNaN(this.#level)) this.#level = 0;
    this.#seen = this.#risen = this.#fallen = 0;
  }
}

/** Refused shares: below the first, the load decides the yield; from the second on, the limit does. */
const BINDING = 0.1;
const EXCEEDED = 0.25;
/** Times the noise of a database that is this process's alone. */
const RESTLESS = 2.6;
const ALLOWED = 0.8;
const ENOUGH = 7;
const RECENT = 15;
