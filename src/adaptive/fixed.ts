import type { LimitController, LimitDecision } from './controller.js';

/** L stays L. For comparisons, and for `observe`-like figures beside a limit that must not move. */
export class FixedController implements LimitController {
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  onWindow(): LimitDecision {
    return { limit: this.limit, reason: 'fixed' };
  }
}
