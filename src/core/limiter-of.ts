import { Limiter } from './limiter.js';
import { complaint } from './option-checks.js';

/** A limiter, or what has one: a wrapped client, a class of `limitClientClass`, a module of `limitDriver`. */
export type HasLimiter = Limiter | { readonly limiter: Limiter };

/** @throws TypeError naming the option, the rule and the value */
export function limiterOf(option: string, value: unknown): Limiter {
  const candidate = value instanceof Limiter ? value : limiterIn(value);
  if (candidate instanceof Limiter) return candidate;
  const rule = 'a Limiter or a client with one';
  throw new TypeError(
    complaint(
      option,
      isForeign(candidate ?? value) ? `${rule}, of this copy of floodgate (npm ls floodgate)` : rule,
      value,
    ),
  );
}

function limiterIn(value: unknown): unknown {
  const mayHaveOne = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveOne ? (value as { limiter?: unknown }).limiter : undefined;
}

/** Another copy's limiter keeps its accounts in its own way. */
function isForeign(candidate: unknown): boolean {
  return (
    typeof candidate === 'object' && candidate !== null && 'gate' in candidate && 'tryAcquire' in candidate
  );
}
