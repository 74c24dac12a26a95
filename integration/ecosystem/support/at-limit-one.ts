import { setImmediate as nextTurn } from 'node:timers/promises';
import { findBackpressureError, type Limiter } from 'floodgate';
import { expect } from 'vitest';
import { recordUnhandledRejections } from './unhandled-rejections.js';

const CALLS = 5;

/**
 * Five calls at once where there is one permit: one is served, each of the others fails with a `BackpressureError` that
 * is found in whatever the library makes of it, and afterwards the permit is back and a call is served.
 *
 * @param call takes long enough for all five to overlap
 * @returns the names of the classes that the library threw
 */
export async function atLimitOne(limiter: Limiter, call: () => Promise<unknown>): Promise<string[]> {
  using unhandled = recordUnhandledRejections();
  expect(limiter.limit).toBe(1);
  // The permit of a new connection comes back one turn after its first query, and others ride on it until then.
  await expect.poll(() => limiter.inFlight).toBe(0);
  const results = await Promise.allSettled(Array.from({ length: CALLS }, call));
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const refusals = errors.map(findBackpressureError);
  expect(errors.filter((_, index) => refusals[index] === undefined)).toEqual([]);
  expect(refusals.map((refusal) => refusal?.reason)).toEqual(new Array(CALLS - 1).fill('limit'));
  await expect.poll(() => limiter.inFlight).toBe(0);
  await call();
  await expect.poll(() => limiter.inFlight).toBe(0);
  await nextTurn();
  expect(unhandled.errors).toEqual([]);
  return [...new Set(errors.map((error) => error.constructor.name as string))];
}
