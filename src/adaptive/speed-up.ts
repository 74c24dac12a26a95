import type { SampleWindow } from './controller.js';
import type { ResponseNoise } from './response-noise.js';
import { isFull } from './window-figures.js';
import { averaged, type WorkYield } from './work-yield.js';

/**
 * Notices that a database has become plainly faster: a limit that is full all the time yields more work than before. Then
 * the knee has probably moved up, and it is worth looking there before its turn.
 */
export class SpeedUp {
  readonly #noise: ResponseNoise;
  #limit = Number.NaN;
  /** Over some ten windows. */
  #usual: WorkYield | undefined;
  /** Over some two. */
  #fresh: WorkYield | undefined;

  constructor(noise: ResponseNoise) {
    this.#noise = noise;
  }

  /** @param window at rest, not one of a probe */
  onWindow(window: SampleWindow): boolean {
    const { limit, workRate, succeeded } = window;
    const now = { limit, workRate, answers: succeeded };
    // The load bounds the work there, and the load may rise.
    if (!isFull(window)) this.#usual = this.#fresh = undefined;
    else if (this.#usual === undefined || Math.abs(Math.log(limit / this.#limit)) > NEAR) {
      this.#limit = limit;
      this.#usual = this.#fresh = now;
    } else {
      this.#fresh = averaged(this.#fresh!, now, 0.5);
      const faster = Math.log(this.#fresh.workRate / this.#usual.workRate);
      const noise = this.#noise.between(this.#fresh.answers, this.#usual.answers);
      if (faster > Math.max(MUCH, PLAINLY * noise)) {
        this.#usual = this.#fresh;
        return true;
      }
      this.#usual = averaged(this.#usual, now, 0.9);
    }
    return false;
  }
}

/** In the logarithm: the limit is still the same. */
const NEAR = 0.12;
/** In the logarithm: more than one process sees when another leaves its share of the database. */
const MUCH = 0.2;
/** Standard errors. */
const PLAINLY = 2.5;
