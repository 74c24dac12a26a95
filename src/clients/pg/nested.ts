import { AsyncLocalStorage } from 'node:async_hooks';

const insideNested = new AsyncLocalStorage<true>();
/** Until then, nobody need look: two look-ups a query. */
let everNested = false;

/**
 * Runs `fn`, and lets what it checks out of a limited pool ride on the permit that the caller already holds: inside a
 * transaction, for a query or a second transaction on the pool itself. Such a checkout is never rejected and takes no
 * permit; it is counted under the class `nested`, and draining waits for it.
 *
 * Only for code that holds a client of the pool at that moment: for anyone else it goes round the limit. It waits for a
 * connection of the pool like any checkout, so keep at least one connection that transactions can't take: a limit, or
 * `bulkheads: { transaction }`, below the pool's `max`.
 *
 * @returns what `fn` returns
 */
export function nested<T>(fn: () => T): T {
  everNested = true;
  return insideNested.run(true, fn);
}

export function isNested(): boolean {
  return everNested && insideNested.getStore() === true;
}
