import type { SampleWindow } from './controller.js';
import { Settling } from './settling.js';
import { answersIn } from './window-figures.js';
import { WindowPool } from './window-pool.js';

/** Which windows there is anything to judge by, and which of them together. */
export class JudgedWindows {
  readonly settling = new Settling();
  readonly #pool = new WindowPool();

  /**
   * @param each whether every window counts, however few its answers are
   * @returns what is to be judged, or why it is too early for that
   */
  next(single: SampleWindow, each: boolean): SampleWindow | string {
    const silent = answersIn(single) === 0;
    if (silent && (each || !this.#pool.spans(single))) return NO_ANSWERS;
    if (this.settling.isOfTheLimitBefore(single)) return 'settling';
    const window = each ? single : this.#pool.add(single);
    if (window === undefined) return 'few answers: gathering';
    return answersIn(window) === 0 ? NO_ANSWERS : window;
  }
}

const NO_ANSWERS = 'no answers: hold';
