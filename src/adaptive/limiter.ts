import { Limiter as FixedLimiter } from '../core/limiter.js';
import {
  LIMITER_OPTION_CHECKS as FIXED_CHECKS,
  type LimiterOptions as FixedLimiterOptions,
} from '../core/limiter-options.js';
import type { OptionCheck } from '../core/option-checks.js';
import { AdaptiveControl } from './adaptive-control.js';
import { type AdaptiveOptions, resolveAdaptive } from './adaptive-options.js';
import type { LimitController } from './controller.js';
import { type StallSource, sharedStallMonitor } from './stall-monitor.js';

export interface LimiterOptions extends FixedLimiterOptions {
  /**
   * Lets the limit move by itself, between 1 and `maxConcurrentOps`, with what the database shows: `true`, options, or a
   * controller of your own. @default false
   */
  readonly adaptive?: boolean | AdaptiveOptions | LimitController | undefined;
}

/** Whatever `adaptive` may be is checked by {@link resolveAdaptive}, which needs `maxConcurrentOps` beside it. */
export const LIMITER_OPTION_CHECKS: Readonly<Record<string, OptionCheck>> = {
  ...FIXED_CHECKS,
  adaptive: () => {},
};

/**
 * The limiter that users and wrappers make: the core's, whose limit may also move by itself.
 *
 * A subclass, so that dependencies keep pointing one way: the core knows that somebody may watch its gate
 * (`gate.sampler`), not who does. It adds no members, so that to the compiler both are one type.
 */
export class Limiter extends FixedLimiter {
  /**
   * @param stalls where the event loop stood still, for simulators; by default one heartbeat of the process tells
   * @throws TypeError | RangeError naming the option, the rule and the value
   */
  constructor(options: LimiterOptions = {}, stalls?: StallSource) {
    super(withoutAdaptive(options));
    const control = resolveAdaptive(options.adaptive, this.maxConcurrentOps);
    if (control === undefined) return;
    // With a clock of the caller's, the process's stalls are at other times.
    const own = options.now === undefined ? sharedStallMonitor() : undefined;
    this.gate.sampler = new AdaptiveControl(this.gate, control, stalls ?? own).windows;
  }
}

function withoutAdaptive(options: LimiterOptions): FixedLimiterOptions {
  if (typeof options !== 'object' || options === null || !('adaptive' in options)) return options;
  const { adaptive: _, ...fixed } = options;
  return fixed;
}
