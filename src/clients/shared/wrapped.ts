import type { Limiter } from '../../core/limiter.js';
import { complaint, sameOption } from '../../core/option-checks.js';
import { defineHidden } from './patch-methods.js';

/** What is known of an instance that has been wrapped. */
export interface Wrapped {
  readonly kind: string;
  readonly limiter: Limiter;
  readonly options: Readonly<Record<string, unknown>>;
}

/** On the instance rather than in a WeakMap, so that two copies of the package see each other's work. */
export const WRAPPED = Symbol.for('floodgate.wrapped');

/** Marks an instance as wrapped and gives it its `limiter`. */
export function markWrapped(target: object, wrapped: Wrapped): void {
  defineHidden(target, WRAPPED, wrapped);
  Object.defineProperty(target, 'limiter', { value: wrapped.limiter, configurable: true, enumerable: false });
}

export function isWrapped(value: unknown, kind: string): boolean {
  return wrappedOf(value)?.kind === kind;
}

/**
 * Whether an instance is wrapped already, in which case nothing is to be done: two gates in front of one client would
 * count every operation twice.
 *
 * @throws TypeError if it is wrapped, but the options ask for something else
 */
export function isAlreadyWrapped(
  target: object,
  kind: string,
  options: Readonly<Record<string, unknown>>,
): boolean {
  if (isWrappedLike(target, options)) return true;
  if (!Object.isExtensible(target)) {
    throw new TypeError(`floodgate: ${kind} puts methods on the client, but it is frozen or sealed`);
  }
  if ('limiter' in target) {
    throw new TypeError(`floodgate: ${kind} puts 'limiter' on the client, but it has a 'limiter' already`);
  }
  return false;
}

/** @throws TypeError if it is wrapped, but the options ask for something else */
export function isWrappedLike(target: object, options: Readonly<Record<string, unknown>>): boolean {
  const wrapped = wrappedOf(target);
  if (wrapped === undefined) return false;
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const present = key === 'limiter' ? wrapped.limiter : wrapped.options[key];
    if (!sameOption(present, value)) {
      const { name, maxConcurrentOps } = wrapped.limiter;
      throw new TypeError(
        `${complaint(key, `the same for a client that is wrapped already (by ${wrapped.kind})`, value)}: its limiter is '${name}', with maxConcurrentOps ${maxConcurrentOps}`,
      );
    }
  }
  return true;
}

function wrappedOf(value: unknown): Wrapped | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<symbol, Wrapped | undefined>)[WRAPPED];
}
