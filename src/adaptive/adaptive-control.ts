import type { Gate } from '../core/gate.js';
import type { AdaptiveStats } from '../core/limiter-stats.js';
import { warnOnce } from '../core/observers.js';
import type { ResolvedAdaptiveOptions } from './adaptive-options.js';
import type { LimitDecision, SampleWindow } from './controller.js';
import { Governor } from './governor.js';
import { SampleWindows } from './sample-window.js';
import type { StallSource } from './stall-monitor.js';

/** Ties a gate's windows to its limit by way of a governor. Nothing in here can throw into an operation. */
export class AdaptiveControl {
  readonly #gate: Gate;
  readonly #options: ResolvedAdaptiveOptions;
  readonly #governor: Governor;
  /** What the gate tells. */
  readonly windows: SampleWindows;
  #last: Readonly<Record<string, number>> | undefined;
  #decision: LimitDecision;

  constructor(gate: Gate, options: ResolvedAdaptiveOptions, stalls: StallSource | undefined) {
    this.#gate = gate;
    this.#options = options;
    this.#governor = new Governor(options, gate.clock.now(), gate.options.name);
    this.#decision = { limit: options.initial, reason: 'initial' };
    if (!options.observe) gate.setLimit(options.initial, 'adaptive: initial', undefined);
    gate.history.countFromHere();
    this.windows = new SampleWindows(gate, stalls, options, this);
  }

  stats(): AdaptiveStats {
    return Object.freeze({
      proposedLimit: this.#decision.limit,
      min: this.#options.min,
      max: this.#options.max,
      reason: this.#decision.reason,
      observe: this.#options.observe,
      stale: this.#governor.stale,
      verdict: this.#governor.verdict,
      window: this.#last,
    });
  }

  get #shedding(): readonly string[] {
    return this.#governor.protecting ? this.#options.sheddable : [];
  }

  onWindow(window: SampleWindow): void {
    try {
      this.#last = figuresOf(window);
      const { limit: from } = this.#decision;
      this.#decision = this.#governor.onWindow(window);
      const { limit, reason } = this.#decision;
      if (this.#options.observe) {
        if (limit !== from) this.#gate.history.proposed(from, limit, reason, this.#last);
        return;
      }
      this.#gate.setLimit(limit, reason, this.#last);
      if (this.#options.sheddable.length > 0) this.#gate.shed(this.#shedding);
    } catch (error) {
      warnOnce('adaptive control', error);
    }
  }
}

/** For the history: only figures that are there. */
function figuresOf(window: SampleWindow): Readonly<Record<string, number>> {
  const known = Object.entries(window).filter(([, value]) => value !== undefined && !Number.isNaN(value));
  return Object.freeze(Object.fromEntries(known));
}
