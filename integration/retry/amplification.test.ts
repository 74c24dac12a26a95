import { BackpressureError } from 'floodgate';
import { RetryBudget, type RetryOptions, retry } from 'floodgate/retry';
import { describe, expect, inject, test } from 'vitest';
import { capacityOf } from '../field-cases/support/capacity.js';
import { note } from '../field-cases/support/note.js';
import { only } from '../field-cases/support/statistics.js';
import { openLoop } from '../support/open-loop.js';
import { limitedPool } from '../support/pool-under-test.js';

const CONNECTIONS = 10;
const LOAD_MS = 4_000;
const { url } = inject('postgres');

/** Three times what the database can do, each call with up to three attempts. */
async function overload(options: RetryOptions) {
  const limits = { maxConcurrentOps: CONNECTIONS, retryAfterMs: 50 };
  await using under = limitedPool(url, limits, { max: CONNECTIONS });
  const work = () => under.pool.query('select pg_sleep(0.05)');
  const capacity = await capacityOf(work, CONNECTIONS);
  let attempts = 0;
  const call = () => {
    attempts++;
    return work();
  };
  const load = openLoop({ ratePerSecond: 3 * capacity, durationMs: LOAD_MS }, () =>
    retry(call, { ...options, maxAttempts: 3, baseDelayMs: 50 }),
  );
  const calls = await load.sent;
  const arrivals = await load.answered;
  const served = only(arrivals, 'served').length;
  expect(under.limiter.stats()).toMatchObject({ inFlight: 0, running: 0 });
  expect(served + only(arrivals, 'rejected').length).toBe(calls);
  return {
    calls,
    attempts,
    amplification: attempts / calls,
    goodput: served / (LOAD_MS / 1_000) / capacity,
    peakInFlight: under.limiter.stats().peakInFlight,
  };
}

describe('three attempts at three times the capacity', () => {
  test('multiply the load without a budget; with one they add a tenth, and as much is served', async () => {
    const without = await overload({ budget: false });
    const budget = new RetryBudget();
    const within = await overload({ budget });
    note('without a budget', without);
    note('with a budget', within);

    expect(without.amplification).toBeGreaterThanOrEqual(2);
    expect(within.amplification).toBeLessThanOrEqual(1.2);
    // It is used, too.
    expect(within.amplification).toBeGreaterThan(1.08);
    expect(budget.stats()).toMatchObject({ calls: within.calls, retries: within.attempts - within.calls });
    expect([without.peakInFlight, within.peakInFlight]).toEqual([CONNECTIONS, CONNECTIONS]);
    expect(within.goodput).toBeGreaterThan(0.6);
    expect(within.goodput / without.goodput).toBeGreaterThan(0.8);
  });

  test('that are spent end in the rejection of the limiter itself', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 1, retryAfterMs: 5 }, { max: 1 });
    const client = await under.pool.connect();
    const error = await retry(() => under.pool.query('select 1'), { baseDelayMs: 5 }).catch(
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(BackpressureError);
    expect(error).toMatchObject({
      reason: 'limit',
      limiter: 'pg',
      operation: 'query',
      limit: 1,
      inFlight: 1,
    });
    client.release();
    expect(under.limiter.stats()).toMatchObject({ rejected: 3, admitted: 1 });
  });
});
