import { setTimeout as sleep } from 'node:timers/promises';
import { RetryBudget, retry } from 'floodgate/retry';
import { expect, test } from 'vitest';
import { note } from '../field-cases/support/note.js';
import { only } from '../field-cases/support/statistics.js';
import { openLoop } from '../support/open-loop.js';
import { limitedPool } from '../support/pool-under-test.js';
import { startPostgres } from '../support/servers/postgres/start-postgres.js';

const CONNECTIONS = 10;
/** Of 200 a second at best. */
const PER_SECOND = 120;
const STOPPED = { from: 1_500, to: 3_500 };
const LOAD_MS = 7_000;

test('a server that stands still for 2 s under 60 % load serves as before within half a second', async () => {
  await using server = await startPostgres({ dedicated: true });
  await using under = limitedPool(
    server.url,
    { maxConcurrentOps: CONNECTIONS, retryAfterMs: 100 },
    { max: CONNECTIONS },
  );
  const work = () => under.pool.query('select pg_sleep(0.05)');
  await Promise.all(Array.from({ length: CONNECTIONS }, work));

  const budget = new RetryBudget();
  const load = openLoop({ ratePerSecond: PER_SECOND, durationMs: LOAD_MS }, () =>
    retry(work, { budget, baseDelayMs: 100, maxElapsedMs: 1_000 }),
  );
  await sleep(STOPPED.from);
  await server.pause();
  await sleep(STOPPED.to - STOPPED.from);
  await server.resume();
  const arrivals = await load.answered;

  const between = (from: number, to: number) => arrivals.filter(({ dueMs }) => dueMs >= from && dueMs < to);
  const share = (from: number, to: number) =>
    only(between(from, to), 'served').length / between(from, to).length;
  const { calls, retries } = budget.stats();
  const figures = {
    before: share(0, STOPPED.from - 250),
    during: share(STOPPED.from + 250, STOPPED.to - 250),
    after: share(STOPPED.to + 500, LOAD_MS),
    amplification: (calls + retries) / calls,
  };
  note('stopped for 2 s', figures);
  expect(only(arrivals, 'failed')).toEqual([]);
  expect(figures.before).toBeGreaterThan(0.97);
  expect(figures.during).toBeLessThan(0.1);
  expect(figures.after).toBeGreaterThan(0.97);
  expect(figures.amplification).toBeLessThanOrEqual(1.2);
  expect(under.limiter.stats()).toMatchObject({ inFlight: 0, peakInFlight: CONNECTIONS });
});
