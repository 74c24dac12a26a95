import type { BackpressureError } from '../core/backpressure-error.js';
import { warnOnce } from '../core/observers.js';
import { LONGEST_TIMER_MS } from '../core/option-checks.js';
import type { HttpSettings } from './http-options.js';

const LEAST_SPREAD_SECONDS = 2;

/** Whole seconds from what the error asks for, at least 1, to that and the jitter; each as likely as the others. */
export function jitteredSeconds(error: BackpressureError, settings: HttpSettings): number {
  const seconds = wholeSeconds(error.retryAfterMs);
  const spread = settings.jitterSeconds ?? Math.max(seconds, LEAST_SPREAD_SECONDS);
  const extra = Math.floor(draw(settings) * (spread + 1));
  return seconds + (extra >= 0 && extra <= spread ? extra : 0);
}

/** A random source that breaks its promise must not break the answer. */
function draw({ random }: HttpSettings): number {
  try {
    return random();
  } catch (error) {
    warnOnce('random', error);
    return 0;
  }
}

/** The error may come from another copy of the package, or have been made by hand. */
function wholeSeconds(ms: number): number {
  return Number.isFinite(ms) && ms > 1000 ? Math.ceil(Math.min(ms, LONGEST_TIMER_MS) / 1000) : 1;
}
