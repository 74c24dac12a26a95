import type { BackpressureError } from '../core/backpressure-error.js';
import type { HttpSettings } from './http-options.js';

const LEAST_SPREAD_SECONDS = 2;

/** Whole seconds from what the error asks for, at least 1, to that and the jitter; each as likely as the others. */
export function jitteredSeconds(error: BackpressureError, settings: HttpSettings): number {
  const seconds = wholeSeconds(error.retryAfterMs);
  const spread = settings.jitterSeconds ?? Math.max(seconds, LEAST_SPREAD_SECONDS);
  const extra = Math.floor(settings.random() * (spread + 1));
  // A random source that breaks its promise must not break the answer.
  return seconds + (extra >= 0 && extra <= spread ? extra : 0);
}

/** The error may come from another copy of the package, or have been changed on its way. */
function wholeSeconds(ms: number): number {
  return Number.isFinite(ms) && ms > 1000 ? Math.ceil(ms / 1000) : 1;
}
