import { integerFrom } from '../core/option-checks.js';
import type { LimitController, LimitDecision } from './controller.js';

/** L stays L. For comparisons, and for guards around a limit that moves for nothing else. */
export class FixedController implements LimitController {
  readonly limit: number;

  /**
   * @param limit an integer from 1
   * @throws TypeError | RangeError for anything else
   */
  constructor(limit: number) {
    integerFrom(1)('limit', limit);
    this.limit = limit;
  }

  onWindow(): LimitDecision {
    return { limit: this.limit, reason: 'fixed' };
  }
}
