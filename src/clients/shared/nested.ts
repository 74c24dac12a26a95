import { AsyncLocalStorage } from 'node:async_hooks';
import type { Limiter } from '../../core/limiter.js';
import { complaint } from '../../core/option-checks.js';
import { isObjectWith } from './is-object-with.js';
import type { LimiterHandle } from './limiter-handle.js';

interface Nesting {
  readonly limiter: Limiter;
  active: boolean;
  readonly outer: Nesting | undefined;
}

const nestings = new AsyncLocalStorage<Nesting>();
/** Until then nobody need look, which would be twice a query. */
let everNested = false;

/**
 * Runs `fn`, and lets what it checks out of a limited pool ride on the permit that the caller already holds: inside a
 * transaction, for a query or a second transaction on the pool itself. Such a checkout is never rejected and takes no
 * permit; it is counted under the class `nested`, and draining waits for it. It ends with `fn`, or with its promise: what
 * is still going on then is admitted like anything else. The limits of other pools stand.
 *
 * Only for code that holds a client of the pool at that moment: for anyone else it goes round the limit. It waits for a
 * connection of the pool like any checkout, so keep at least one that transactions can't take: a limit, or
 * `bulkheads: { transaction }`, below the pool's size.
 *
 * @param pool the limited pool
 * @returns what `fn` returns
 * @throws TypeError if `pool` is not limited, or `fn` no function
 */
export function nested<T>(pool: LimiterHandle, fn: () => T): T {
  if (!isObjectWith(pool, ['limiter']))
    throw new TypeError(complaint('the pool of nested()', 'a limited pool', pool));
  if (typeof fn !== 'function') throw new TypeError(complaint('the work of nested()', 'a function', fn));
  everNested = true;
  const nesting: Nesting = { limiter: pool.limiter, active: true, outer: nestings.getStore() };
  let pending = false;
  try {
    const result = nestings.run(nesting, fn);
    if (!(result instanceof Promise)) return result;
    pending = true;
    // The promise that the caller gets, not a side branch, which would hide an unhandled rejection.
    return result.finally(() => {
      nesting.active = false;
    }) as T;
  } finally {
    if (!pending) nesting.active = false;
  }
}

/** Runs `fn` outside of any nesting: a socket opened in it keeps the context, and hands it to whoever uses it later. */
export function outsideNested<T>(fn: () => T): T {
  return nestings.exit(fn);
}

/** Whether this call comes from inside {@link nested} for a pool with this limiter. */
export function isNested(limiter: Limiter): boolean {
  if (!everNested) return false;
  for (let nesting = nestings.getStore(); nesting !== undefined; nesting = nesting.outer) {
    if (nesting.active && nesting.limiter === limiter) return true;
  }
  return false;
}
