import { findBackpressureError, type Limiter } from 'floodgate';
import { expect } from 'vitest';
import { recordUnhandledRejections } from '../../ecosystem/support/unhandled-rejections.js';

/**
 * Five calls at once where there is one permit: one is served, each of the others fails with a `BackpressureError` that
 * is found in whatever the library makes of it, and afterwards the permit is back and a call is served.
 *
 * @param call takes long enough for all five to overlap
 * @returns the names of the classes that the library threw
 */
export async function atLimitOne(limiter: Limiter, call: () => Promise<unknown>): Promise<string[]> {
  using unhandled = recordUnhandledRejections();
  // The permit of a new connection comes back one turn after its first query.
  await expect.poll(() => limiter.inFlight).toBe(0);
  limiter.resize(1);
  const results = await Promise.allSettled(Array.from({ length: 5 }, call));
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(errors.map((error) => findBackpressureError(error)?.reason)).toEqual(new Array(4).fill('limit'));
  await expect.poll(() => limiter.inFlight).toBe(0);
  await call();
  await expect.poll(() => limiter.inFlight).toBe(0);
  expect(unhandled.errors).toEqual([]);
  return [...new Set(errors.map((error) => error.constructor.name as string))];
}
