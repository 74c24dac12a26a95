import { integerFrom } from '../core/option-checks.js';
import type { LimitController, LimitDecision, SampleWindow } from './controller.js';

/**
 * L stays L, or what `resize` has made of it. For comparisons, and for guards around a limit that is otherwise not to move:
 * they cut it, and it comes back when they are kept.
 */
export class FixedController implements LimitController {
  #limit: number;

  /**
   * @param limit an integer from 1
   * @throws TypeError | RangeError for anything else
   */
  constructor(limit: number) {
    integerFrom(1)('limit', limit);
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  onWindow({ resizedTo = this.#limit }: SampleWindow): LimitDecision {
    if (Number.isFinite(resizedTo)) this.#limit = resizedTo;
    return { limit: this.#limit, reason: 'fixed' };
  }
}
