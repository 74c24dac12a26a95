import type { ResponseNoise } from './response-noise.js';

export interface Probe {
  readonly side: 'above' | 'below';
  readonly limit: number;
}

/**
 * Whether, and on which side of the limit, to look this time.
 *
 * Processes that keep one grid of windows look above together, and seldom: alone, each would only see its share grow.
 * Windows that were put together may step over a turn: it is due at the next one.
 */
export class ProbeSchedule {
  readonly #noise: ResponseNoise;
  /** Windows in which to look often. */
  #alert = ALERT;
  /** The number of the last window that was judged; on the grid, if there is one. */
  #turn = 0;
  #before = 0;
  #onGrid = false;
  #owed = false;
  /** Judged windows since the last probe. */
  #since = APART;

  constructor(noise: ResponseNoise) {
    this.#noise = noise;
  }

  /** A window is judged, whatever comes of it. */
  onWindow(slot: number | undefined): void {
    // No grid counts otherwise, and past 2^53 nothing can be counted.
    this.#onGrid = Number.isSafeInteger(slot) && slot! >= 0;
    this.#since++;
    this.#before = this.#turn;
    this.#turn = (this.#onGrid ? slot! : this.#turn) + 1;
  }

  /** Something has changed, or may. */
  watch(windows: number = ALERT): void {
    this.#alert = Math.max(this.#alert, windows);
  }

  /** It is worth looking above at once. */
  owe(): void {
    this.#owed = true;
  }

  /**
   * Asked once for a window.
   *
   * @param wanted whether this is a time for it
   * @param slack share of the knee by which the limit lies above it
   * @param min no limit is lower: where one below it would be, there is nothing to see
   */
  next(wanted: boolean, limit: number, slack: number, min: number): Probe | undefined {
    const alert = --this.#alert > 0;
    if (!wanted || this.#since < (this.#owed ? APART / 2 : APART)) return undefined;
    if (this.#owed) return this.#probe('above', limit, slack);
    for (let ago = Math.min(OFTEN, this.#turn - this.#before - 1); ago >= 0; ago--) {
      const turn = this.#turn - ago;
      const below = limitBelow(limit, slack);
      const side = this.#at(turn, alert && below > DEAR, limit < SMALL);
      if (side === undefined || (side === 'below' && below < min)) continue;
      return this.#probe(side, limit, slack);
    }
    return undefined;
  }

  #probe(side: Probe['side'], limit: number, slack: number): Probe {
    this.#owed = this.#owed && side !== 'above';
    this.#since = 0;
    if (side === 'below') return { side, limit: limitBelow(limit, slack) };
    // The less sure a window is, the further.
    const stride = STRIDE ** Math.min(FURTHEST, this.#noise.heaviness);
    return { side, limit: Math.max(limit * stride, limit + 1) };
  }

  #at(turn: number, alert: boolean, often: boolean): 'above' | 'below' | undefined {
    const above = this.#onGrid ? (often ? OFTEN : ABOVE_ON_GRID) : alert || often ? OFTEN : ABOVE;
    if (turn % above === above / 2) return 'above';
    return turn % (alert ? OFTEN : SELDOM) === 0 ? 'below' : undefined;
  }
}

/** A tenth below the knee, and by one at least below the limit. */
export function limitBelow(limit: number, slack: number): number {
  return Math.min(Math.floor((limit / (1 + slack)) * 0.9 + 0.1), Math.ceil(limit) - 1);
}

/** A limit at which one permit more shows so much that it is tried often. */
const SMALL = 2.6;
/** A limit at which much less work is done than one above. */
const DEAR = 2;
/** Windows. */
const ALERT = 8;
const OFTEN = 8;
const SELDOM = 32;
const APART = 4;
const STRIDE = 1.3;
/** Strides. */
const FURTHEST = 2.6;
const ABOVE = 16;
const ABOVE_ON_GRID = 64;
