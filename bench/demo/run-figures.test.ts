import { expect, test } from 'vitest';
import { evenArrivals } from '../load/arrivals.js';
import { openLoop } from '../load/open-loop.js';
import { VirtualClock } from '../load/virtual-clock.js';
import { Refused, VirtualServer } from '../load/virtual-server.js';
import { resultTable } from './result-table.js';
import { type RunFigures, runFigures } from './run-figures.js';
import { summary } from './summary.js';

/** 10 at a time, 20 ms each, so 500 a second; three times that for 10 s. */
async function run(
  name: string,
  refuseAbove?: number,
  settleMs = 60_000,
  limitAt: (ms: number) => number | undefined = () => refuseAbove,
): Promise<RunFigures> {
  const clock = new VirtualClock();
  const size = { width: 10, serviceMs: 20 };
  const server = new VirtualServer({ clock, ...size, ...(refuseAbove === undefined ? {} : { refuseAbove }) });
  const result = await openLoop({
    arrivals: evenArrivals(1500),
    seconds: 10,
    deadlineMs: 1000,
    settleMs,
    isRejection: (error) => error instanceof Refused,
    limit: () => limitAt(clock.now()),
    call: server.call,
    clock,
  });
  return runFigures({ name, setup: `new ${name}()` }, result, { perSecond: 1500, seconds: 10 }, 500);
}

test('without a limit the database works for nobody after the first second and a half', async () => {
  const figures = await run('no limit');
  expect(figures.goodputOfCapacity).toBeCloseTo(0.15, 1);
  expect(figures.secondHalfOfCapacity).toBe(0);
  expect(figures.timedOutShare).toBeCloseTo(0.95, 1);
  expect(figures.backlog / 10_000).toBeCloseTo(1, 1);
  expect(figures.backlogMs! / 20_000).toBeCloseTo(1, 1);
  expect(figures.backlogEstimated).toBe(false);
  expect(figures.wasted / figures.backlog).toBeGreaterThan(1.3);
  expect(figures.rejectP50).toBeUndefined();
});

test('a backlog that outlasts the watching is estimated from its pace', async () => {
  const figures = await run('no limit', undefined, 2000);
  expect(figures.backlogEstimated).toBe(true);
  expect(figures.backlogMs! / 20_000).toBeCloseTo(1, 1);
});

test('with a limit all of the capacity reaches its callers', async () => {
  const figures = await run('fixed limit', 20);
  expect(figures.goodputOfCapacity).toBeCloseTo(1, 1);
  expect(figures.secondHalfOfCapacity).toBeCloseTo(1, 1);
  expect(figures.rejectedShare).toBeCloseTo(2 / 3, 1);
  expect(figures.inTimeShare + figures.rejectedShare).toBeCloseTo(1, 10);
  expect(figures.p99).toBeLessThan(45);
  expect(figures.limit).toEqual({ least: 20, most: 20 });
});

test('a limit that moves is told by its range in the second half', async () => {
  const figures = await run('adaptive limit', 20, 0, (ms) => 20 + Math.floor(ms / 2000));
  expect(figures.limit).toEqual({ least: 22, most: 24 });
  expect(resultTable([figures])).toMatch(/^ {2}limit, second half +22 to 24$/m);
  expect(summary([figures])[0]).toMatch(/^Adaptive limit of 22 to 24: /);
});

test('table and words say what the figures say', async () => {
  const figures = [await run('no limit'), await run('fixed limit', 20)];
  const table = resultTable(figures);
  expect(table).toMatch(/^ +no limit +fixed limit$/m);
  expect(table).toMatch(/^ {2}answered within 1 s +7\d\/s +(499|500)\/s$/m);
  expect(table).toMatch(/^ {4}of capacity +1[45] % +(99.\d|100) %$/m);
  expect(table).toMatch(/^ {2}limit, second half +– +20$/m);
  expect(table).toMatch(/rejected after: p50, p99 +– +0\.\d ms, 1\.0 ms/);
  expect(table).not.toContain('failed');
  const [bare, limited, both] = summary(figures);
  expect(bare).toMatch(
    /^No limit: 7\d answers a second came in time, 1[45] % .*; not one in the second half; /,
  );
  expect(bare).toMatch(/[\d,]+ queries were still in the queue, (19|20|21) s of work for nobody\.$/);
  expect(limited).toMatch(/^Fixed limit of 20: (499|500) answers a second .*; 99 of 100 within 4\d ms; /);
  expect(limited).toMatch(/67 % of the callers were turned away within 1\.0 ms\.$/);
  expect(both).toContain('the same each time');
});
