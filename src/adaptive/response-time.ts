import type { SampleWindow } from './controller.js';
import type { Elasticity } from './elasticity.js';
import type { ResponseNoise } from './response-noise.js';

/**
 * How long an operation held its permit on average, in milliseconds: by Little's law (in flight / work rate), which sees
 * waits that nobody reports and counts every operation, or as it was measured, if that is longer. Where many answers
 * never came only what was measured counts: permits that hang would look like queueing.
 *
 * In units of work, where the window tells them: then a shift of the mix between cheap and dear operations changes nothing.
 */
export function responseTime(window: SampleWindow): number {
  const { succeeded, failed, overloaded, ignored, workRate, meanInFlight } = window;
  const unitMs = window.workUnitMs ?? 1;
  const workPerAnswer = (workRate * (window.endedAt - window.startedAt)) / 1000 / succeeded;
  const measured = (window.meanLatency + window.meanPoolWait) / workPerAnswer / unitMs;
  const answers = succeeded + failed + overloaded + ignored;
  if (overloaded + ignored > answers * SOME) return measured;
  const held = (meanInFlight * 1000) / (workRate * (1 + failed / succeeded)) / unitMs;
  return held > measured || Number.isNaN(measured) ? held : measured;
}

export function responseReason(
  { meanPoolWait, meanLatency }: SampleWindow,
  idle: boolean,
  ratio: number,
): string {
  const figures = `response ${ratio.toFixed(2)}x of the base`;
  if (idle) return `${figures}: up`;
  return meanPoolWait > meanLatency / 2 ? `${figures}, pool wait ${meanPoolWait.toFixed(1)} ms` : figures;
}

/** The response time without queueing, as it was measured below the knee; what is newer weighs more. */
export class ResponseBase {
  /** `NaN` while it is not known. */
  time = Number.NaN;
  readonly #noise: ResponseNoise;
  #weight = 0;
  #unitKnown = false;

  constructor(noise: ResponseNoise) {
    this.#noise = noise;
  }

  get known(): boolean {
    return this.#weight > 0;
  }

  /** Relative standard error. */
  get noise(): number {
    return this.#noise.of(this.#weight);
  }

  /**
   * Takes a window's response time for one without queueing; a wait for a connection is none of it, certainly.
   *
   * @param keep what remains of the weight of all before, 0 to 1
   */
  learn(window: SampleWindow, responded: number, keep: number, weight = answersOf(window)): void {
    const { meanLatency, meanPoolWait } = window;
    const time =
      meanPoolWait > 0 && meanLatency > 0
        ? (responded * meanLatency) / (meanLatency + meanPoolWait)
        : responded;
    const before = this.#weight * keep;
    this.time = before === 0 ? time : (this.time * before + time * weight) / (before + weight);
    this.#weight = before + weight;
  }

  /** From a window in which nothing had to wait for a permit; hardly if it is longer, since there may be a line all the same. */
  learnFromLightLoad(window: SampleWindow, time: number): void {
    const { meanInFlight, limit } = window;
    // With fewer in flight, the moments between two events weigh too much.
    if (!(meanInFlight > 3)) return;
    if (!this.known || time < this.time) this.learn(window, time, 0.5);
    else if (meanInFlight < 0.7 * limit) this.learn(window, time, 0.9);
  }

  /**
   * From a window of a probe below the limit. Where work still follows the limit, the response is shorter below without any
   * line. Else what is shorter is certainly without one; what is longer may have some.
   */
  learnFromBelow(window: SampleWindow, time: number, work: Elasticity): void {
    const keep = time < this.time ? 0.3 : work.fallsBelow(window) ? 0.6 : 0.85;
    if (time > this.time || !work.follows) this.learn(window, time, keep);
  }

  /** Whether it is longer than this, by more than chance would have it. */
  isAbovePlainly({ succeeded }: SampleWindow, time: number): boolean {
    return time < this.time * (1 - PLAINLY - this.#noise.of(succeeded));
  }

  /** Whether it is longer than this beyond any doubt. */
  isAboveCertainly({ succeeded }: SampleWindow, time: number): boolean {
    return time < this.time * (1 - 2 * this.#noise.of(succeeded));
  }

  /** Whether this is longer than if all that is in flight waited for each other: then the base is another one. */
  isOfAnotherTime({ limit, succeeded }: SampleWindow, time: number): boolean {
    return time > limit * this.time * (1 + 2 * this.#noise.of(succeeded));
  }

  /** It was none. */
  forget(): void {
    this.#weight = 0;
    this.#unitKnown = false;
    this.time = Number.NaN;
  }

  /** The unit in which times are told has changed, or what counts as being without a line. */
  rescale(factor: number): void {
    this.time *= factor;
  }

  /** {@link responseTime}, in the unit in which the base is from now on, too. */
  timeOf(window: SampleWindow): number {
    // Until then times are only compared with each other, and the unit may become known in between.
    if (!this.known) return responseTime({ ...window, workUnitMs: 1 });
    const time = responseTime(window);
    const unitKnown = window.workUnitMs !== undefined;
    if (unitKnown !== this.#unitKnown) {
      const without = responseTime({ ...window, workUnitMs: 1 });
      // Only known from now on, or no more.
      if (unitKnown) this.rescale(time / without);
      else this.learn(window, without, 0);
    }
    this.#unitKnown = unitKnown;
    return time;
  }
}

function answersOf({ succeeded }: SampleWindow): number {
  return Math.min(succeeded, MOST_WEIGHT);
}

/** Share of answers that never came, or told nothing. */
const SOME = 0.01;
const PLAINLY = 0.03;
const MOST_WEIGHT = 5000;
