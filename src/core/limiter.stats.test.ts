import { describe, expect, test } from 'vitest';
import { Limiter } from './limiter.js';
import type { LimiterOptions } from './limiter-options.js';

function limiterAt(start: number, options: LimiterOptions = {}) {
  const clock = { now: start };
  return { clock, limiter: new Limiter({ ...options, now: () => clock.now }) };
}

describe('stats', () => {
  test('of a new limiter are zeros, and undefined where there is no sample', () => {
    expect(new Limiter().stats()).toEqual({
      name: 'floodgate',
      state: 'open',
      limit: 1000,
      inFlight: 0,
      running: 0,
      waiting: 0,
      maxConcurrentOps: 1000,
      admitted: 0,
      rejected: 0,
      succeeded: 0,
      failed: 0,
      overloaded: 0,
      ignored: 0,
      rejectedByReason: {},
      peakInFlight: 0,
      doubleReleases: 0,
      oldestPermitMs: 0,
      latency: { p50: undefined, p95: undefined, p99: undefined },
      poolWait: { p95: undefined },
      connectTime: { p95: undefined },
      limitIncreases: 0,
      limitDecreases: 0,
      classes: {},
      nodes: {},
    });
  });

  test('have every field as a figure', () => {
    const { clock, limiter } = limiterAt(0, { name: 'orders', maxConcurrentOps: 4, bulkheads: { scan: 1 } });
    const scan = limiter.acquire({ operationClass: 'scan' });
    const rest = [limiter.acquire(), limiter.acquire(), limiter.acquire()];
    limiter.tryAcquire();
    limiter.gate.nodes.enter(limiter.gate.nodes.share('db-1:5432'), 2);
    rest[0]!.release('failed');
    limiter.tryAcquire({ operationClass: 'scan' });
    clock.now = 8;
    rest[1]!.release('overload');
    rest[1]!.release('overload');
    limiter.resize(2);
    limiter.resize(3);
    clock.now = 1000;
    scan.release('ignored');
    const { latency, ...stats } = limiter.stats();
    const nothing = { p50: undefined, p95: undefined, p99: undefined };
    expect(stats).toEqual({
      name: 'orders',
      state: 'open',
      limit: 3,
      inFlight: 1,
      running: 1,
      waiting: 0,
      maxConcurrentOps: 4,
      admitted: 4,
      rejected: 2,
      succeeded: 0,
      failed: 1,
      overloaded: 1,
      ignored: 1,
      rejectedByReason: { limit: 1, bulkhead: 1 },
      peakInFlight: 4,
      doubleReleases: 1,
      oldestPermitMs: 1000,
      poolWait: { p95: undefined },
      connectTime: { p95: undefined },
      limitIncreases: 1,
      limitDecreases: 1,
      classes: {
        default: {
          inFlight: 1,
          running: 1,
          admitted: 3,
          rejected: 1,
          succeeded: 0,
          failed: 1,
          overloaded: 1,
          ignored: 0,
          latency,
        },
        scan: {
          inFlight: 0,
          running: 0,
          admitted: 1,
          rejected: 1,
          succeeded: 0,
          failed: 0,
          overloaded: 0,
          ignored: 1,
          latency: nothing,
        },
      },
      nodes: { 'db-1:5432': { inFlight: 2, admitted: 1, rejected: 0 } },
    });
    expect(latency.p99! / 8).toBeCloseTo(1, 1);
  });

  test('are frozen through and through, and new each time', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    limiter.tryAcquire();
    const stats = limiter.stats();
    const parts = [
      stats,
      stats.latency,
      stats.poolWait,
      stats.connectTime,
      stats.rejectedByReason,
      stats.classes,
      stats.classes.default,
    ];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
    expect(limiter.stats()).not.toBe(stats);
    limiter.tryAcquire();
    expect(stats.rejected).toBe(1);
  });

  test('peakInFlight remembers the most there ever was', () => {
    const limiter = new Limiter();
    const permits = [limiter.acquire(), limiter.acquire({ weight: 5 })];
    for (const permit of permits) permit.release();
    limiter.acquire();
    expect(limiter.stats()).toMatchObject({ inFlight: 1, peakInFlight: 6 });
  });

  test.each([0.002, 0.5, 1, 7, 100, 2500, 100_000])('latency of %d ms is told within 4.5 %%', (latencyMs) => {
    const { clock, limiter } = limiterAt(0);
    const permit = limiter.acquire();
    clock.now = latencyMs;
    permit.release();
    for (const told of Object.values(limiter.stats().latency)) {
      expect(Math.abs(told! - latencyMs) / latencyMs).toBeLessThan(0.045);
    }
  });

  test('latency percentiles of 1 to 1000 ms are those of the samples within 4.5 %', () => {
    const { clock, limiter } = limiterAt(0);
    const permits = Array.from({ length: 1000 }, () => limiter.acquire());
    for (const permit of permits) {
      clock.now++;
      permit.release();
    }
    const { p50, p95, p99 } = limiter.stats().latency;
    expect(Math.abs(p50! / 500 - 1)).toBeLessThan(0.045);
    expect(Math.abs(p95! / 950 - 1)).toBeLessThan(0.045);
    expect(Math.abs(p99! / 990 - 1)).toBeLessThan(0.045);
  });

  test('latency of all classes is merged from theirs', () => {
    const { clock, limiter } = limiterAt(0, { maxConcurrentOps: 100 });
    const fast = Array.from({ length: 98 }, () => limiter.acquire({ operationClass: 'fast' }));
    const slow = [1, 2].map(() => limiter.acquire({ operationClass: 'slow' }));
    clock.now = 1;
    for (const permit of fast) permit.release();
    clock.now = 400;
    for (const permit of slow) permit.release();
    const { latency, classes } = limiter.stats();
    expect([latency.p50! < 1.05, latency.p95! < 1.05, latency.p99! > 382]).toEqual([true, true, true]);
    expect(classes.fast!.latency.p99! < 1.05).toBe(true);
    expect(classes.slow!.latency.p50! > 382).toBe(true);
  });

  test.each([
    ['success', true],
    ['overload', true],
    ['failed', false],
    ['ignored', false],
  ] as const)('an operation that ended in %s is a latency sample: %s', (outcome, sampled) => {
    const { clock, limiter } = limiterAt(0);
    const permit = limiter.acquire();
    clock.now = 10;
    permit.release(outcome);
    expect(limiter.stats().latency.p50 !== undefined).toBe(sampled);
  });

  test('latency of rejected operations is none', () => {
    const { limiter } = limiterAt(0, { maxConcurrentOps: 1 });
    limiter.acquire();
    for (let refused = 0; refused < 100; refused++) limiter.tryAcquire();
    expect(limiter.stats().latency.p50).toBe(undefined);
  });

  test('oldestPermitMs is the age of the oldest permit that is still out, to 10 ms', () => {
    const { clock, limiter } = limiterAt(0);
    const first = limiter.acquire();
    clock.now = 300;
    const second = limiter.acquire();
    clock.now = 1000;
    expect(limiter.stats().oldestPermitMs).toBe(1000);
    first.release();
    expect(limiter.stats().oldestPermitMs).toBe(700);
    second.release();
    expect(limiter.stats().oldestPermitMs).toBe(0);
  });

  test('poolWait and connectTime are told apart', () => {
    const { limiter } = limiterAt(0);
    limiter.gate.recordPoolWait(20);
    limiter.gate.recordConnectTime(300);
    const { poolWait, connectTime, latency } = limiter.stats();
    expect(Math.abs(poolWait.p95! / 20 - 1)).toBeLessThan(0.045);
    expect(Math.abs(connectTime.p95! / 300 - 1)).toBeLessThan(0.045);
    expect(latency.p50).toBe(undefined);
  });

  test('a checkout, held as long as its holder likes, is no latency sample', () => {
    const { clock, limiter } = limiterAt(0);
    const permit = limiter.gate.permitForCheckout(limiter.gate.classes.get('transaction'), 1);
    clock.now = 5000;
    expect(limiter.stats().oldestPermitMs).toBe(5000);
    permit.release();
    expect(limiter.stats()).toMatchObject({ succeeded: 1, latency: { p50: undefined } });
  });
});
