import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cohort, PermitAges } from './permit-ages.js';

/** Take a permit after some time, or give back one of those out. */
const steps = fc.array(
  fc.record({
    afterMs: fc.double({ min: 0, max: 40, noNaN: true }),
    take: fc.boolean(),
    which: fc.nat(1000),
  }),
  { maxLength: 300 },
);

test('the oldest age is that of the oldest permit out, at most 10 ms above it, and the list is no longer than the permits out', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      let now = 0;
      const ages = new PermitAges(now);
      const out: { takenAt: number; cohort: Cohort }[] = [];
      for (const { afterMs, take, which } of steps) {
        now += afterMs;
        if (take) {
          ages.advance(now);
          out.push({ takenAt: now, cohort: ages.enter() });
        } else if (out.length > 0) {
          ages.leave(out.splice(which % out.length, 1)[0]!.cohort);
        }
        const oldest = out.length === 0 ? 0 : now - Math.min(...out.map(({ takenAt }) => takenAt));
        expect(ages.oldestMs(now) - oldest).toBeGreaterThanOrEqual(0);
        expect(ages.oldestMs(now) - oldest).toBeLessThan(10);
        // One more: the newest stretch stays, with or without permits.
        expect(ages.size).toBeLessThanOrEqual(out.length + 1);
      }
    }),
    { numRuns: 500 },
  );
});

test('a million permits that came back leave one stretch', () => {
  const ages = new PermitAges(0);
  for (let index = 0; index < 1_000_000; index++) {
    ages.advance(index / 10);
    ages.leave(ages.enter());
  }
  expect([ages.size, ages.oldestMs(200_000)]).toEqual([1, 0]);
});

test('permits taken less than 10 ms apart share an age, others do not', () => {
  const oldestAfterFirstLeft = (apartMs: number) => {
    const ages = new PermitAges(0);
    const first = ages.enter();
    ages.advance(apartMs);
    ages.enter();
    ages.leave(first);
    return ages.oldestMs(100);
  };
  expect([9.9, 10, 30].map(oldestAfterFirstLeft)).toEqual([100, 90, 70]);
});

test('without a reading of the clock an age is told from the last one', () => {
  const ages = new PermitAges(0);
  ages.advance(100);
  ages.enter();
  expect(ages.oldestMs(160)).toBe(60);
  const late = ages.enter();
  expect(ages.oldestMs(160)).toBe(60);
  ages.leave(late);
});

test('a clock that steps back gives no negative age', () => {
  const ages = new PermitAges(1000);
  ages.enter();
  expect(ages.oldestMs(900)).toBe(0);
});
