import type { SampleWindow } from './controller.js';
import { clamp, type ResolvedRange } from './controller-range.js';

/** What one limit yielded, over as many windows as it takes to tell. */
class Point {
  readonly limit: number;
  #answers = 0;
  #windows = 0;
  #work = 0;
  #ms = 0;
  offered = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  add(window: SampleWindow): void {
    const ms = window.endedAt - window.startedAt;
    this.#windows++;
    this.#answers += window.succeeded;
    this.#work += window.workRate * ms;
    this.#ms += ms;
    this.offered = (window.admitted + window.rejected) / ms;
  }

  get enough(): boolean {
    return this.#answers >= ENOUGH || this.#windows >= MOST_WINDOWS;
  }

  /** Standard error of the elasticity between two points, with Poisson noise and some. */
  errorFrom(base: Point): number {
    return (
      Math.sqrt(NOISE * (1 / this.#answers + 1 / base.#answers)) / Math.abs(Math.log(this.limit / base.limit))
    );
  }

  get workRate(): number {
    return this.#work / this.#ms;
  }

  elasticityFrom(base: Point): number {
    return Math.log(this.workRate / base.workRate) / Math.log(this.limit / base.limit);
  }
}

/**
 * Looks for the neighbourhood of the knee in strides of x1.4 (x2 while the answer is plain): upwards as long as the work
 * rate follows, downwards as long as it does not fall. The first stride that fails is taken back; if it was the very
 * first, the other direction is tried.
 */
export class LineSearch {
  readonly #range: ResolvedRange;
  #direction: 1 | -1;
  #base: Point | undefined;
  #point: Point;
  #moved = false;
  #turned = false;
  done = false;
  reason = '';

  constructor(limit: number, direction: 1 | -1, range: ResolvedRange) {
    this.#direction = direction;
    this.#range = range;
    this.#point = new Point(limit);
  }

  /** The best limit before the one that is tried. */
  from(limit: number): number {
    return this.#base?.limit ?? limit;
  }

  /** @returns the limit to try next; when {@link done}, the one to stay at */
  onWindow(window: SampleWindow): number {
    const point = this.#point;
    // Somebody bounds the limit more narrowly: what it yields belongs to what it was.
    if (window.limit !== point.limit) {
      this.done = true;
      this.reason = 'search given up';
      return window.limit;
    }
    point.add(window);
    this.reason = 'search: measuring';
    const base = this.#base;
    if (base === undefined) {
      this.#base = point;
      return this.#tryFrom(point, STRIDE);
    }
    const change = point.offered / base.offered;
    const elasticity = point.elasticityFrom(base);
    const plainly =
      Math.abs(elasticity - (this.#direction > 0 ? FOLLOWS : FALLS)) > 1.5 * point.errorFrom(base);
    if (!point.enough && !plainly) return point.limit;
    this.reason = `search ${this.#direction > 0 ? 'up' : 'down'}: elasticity ${elasticity.toFixed(2)} from ${base.limit} to ${point.limit}`;
    if (!(change < 1.6 && change > 0.6) || !Number.isFinite(elasticity)) return this.#end(point.limit);
    const up = this.#direction > 0;
    if (up ? elasticity > FOLLOWS : elasticity < FALLS) {
      const margin = point.errorFrom(base) / 2;
      const plain = up ? elasticity - margin > 0.6 : elasticity + margin < 0;
      this.#base = point;
      this.#moved = true;
      return this.#tryFrom(point, plain ? LONG_STRIDE : STRIDE);
    }
    if (this.#moved || this.#turned) return this.#end(base.limit);
    this.#turned = true;
    this.#direction = up ? -1 : 1;
    return this.#tryFrom(base, STRIDE);
  }

  #tryFrom({ limit }: Point, stride: number): number {
    const wanted =
      this.#direction > 0 ? Math.max(limit + 1, limit * stride) : Math.min(limit - 1, limit / stride);
    const next = clamp(Math.round(wanted), this.#range.min, this.#range.max);
    if (next === limit) return this.#end(limit);
    this.#point = new Point(next);
    return next;
  }

  #end(limit: number): number {
    this.done = true;
    return limit;
  }
}

const NOISE = 1.5;
const ENOUGH = 300;
const MOST_WINDOWS = 3;
const STRIDE = 1.4;
const LONG_STRIDE = 2;
/** Upwards: work must follow at least by this elasticity. */
const FOLLOWS = 0.33;
/** Downwards: it may fall at most by this. */
const FALLS = 0.2;
