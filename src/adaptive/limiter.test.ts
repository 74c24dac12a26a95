import { describe, expect, test, vi } from 'vitest';
import type { LimitController, SampleWindow } from './controller.js';
import { Limiter, type LimiterOptions } from './limiter.js';
import { StallMonitor } from './stall-monitor.js';

/** A limiter on a clock of the test's, and whose controller writes down its windows. */
function watched(options: Partial<LimiterOptions> = {}, decide = (window: SampleWindow) => window.limit) {
  const clock = { now: 0 };
  const windows: SampleWindow[] = [];
  const controller: LimitController = {
    limit: 4,
    onWindow: (window) => {
      windows.push(window);
      return { limit: decide(window), reason: `window ${windows.length}` };
    },
  };
  const stalls = new StallMonitor();
  const limiter = new Limiter({ now: () => clock.now, adaptive: controller, ...options }, stalls);
  /** One operation after the other, `ms` each. */
  const work = (
    count: number,
    ms: number,
    outcome: 'success' | 'overload' | 'failed' | 'ignored' = 'success',
  ) => {
    for (let index = 0; index < count; index++) {
      const permit = limiter.acquire();
      clock.now += ms;
      permit.release(outcome);
    }
  };
  return { clock, windows, limiter, work, stalls };
}

describe('the windows of a limiter', () => {
  test('hold what happened, each at one limit', () => {
    const { windows, limiter, work } = watched();
    work(60, 10);
    expect(limiter.limit).toBe(4);
    const [window] = windows;
    expect(window).toMatchObject({
      limit: 4,
      succeeded: 50,
      overloaded: 0,
      rejected: 0,
      maxInFlight: 1,
      meanLatency: 10,
      stalledMs: 0,
    });
    expect(window!.endedAt - window!.startedAt).toBe(500);
    expect(window!.workRate).toBeCloseTo(100, 6);
    expect(window!.meanInFlight).toBeCloseTo(1, 1);
    expect([window!.meanPoolWait, window!.p95PoolWait]).toEqual([0, 0]);
  });

  test('count rejections by the limit, even while everything hangs', () => {
    const { clock, windows, limiter } = watched();
    const permits = Array.from({ length: 4 }, () => limiter.acquire());
    for (let index = 0; index < 300; index++) {
      clock.now += 10;
      expect(limiter.tryAcquire()).toBeUndefined();
    }
    for (const permit of permits) permit.release();
    expect(windows).toEqual([]);
    expect(limiter.stats().adaptive).toMatchObject({
      verdict: 'few-samples',
      window: { rejected: 200, maxInFlight: 4 },
    });
  });

  test('wait for enough answers, but not for ever', () => {
    const { windows, work } = watched();
    work(30, 100);
    expect(windows.map(({ startedAt, endedAt, succeeded }) => [startedAt, endedAt, succeeded])).toEqual([
      [0, 2000, 20],
    ]);
  });

  test('leave out the first moments after a change of the limit', () => {
    const { windows, work } = watched({}, () => 5);
    work(150, 10);
    expect(windows.slice(0, 2).map(({ startedAt, endedAt, limit }) => [startedAt, endedAt, limit])).toEqual([
      [0, 500, 4],
      [510, 1000, 5],
    ]);
  });

  test('say what is missing as NaN, not as zero', () => {
    const { windows, work } = watched();
    work(60, 10, 'failed');
    expect(windows[0]).toMatchObject({ failed: 50, meanLatency: Number.NaN, p99: Number.NaN, workRate: 0 });
  });

  test('that a stall touched are not shown to the controller, and its samples are none', () => {
    const { clock, windows, limiter, work, stalls } = watched();
    work(10, 10);
    stalls.add(clock.now, clock.now + 250);
    work(1, 250);
    work(30, 10);
    expect(windows).toEqual([]);
    expect(limiter.stats().adaptive).toMatchObject({
      verdict: 'stalled',
      window: { stalledMs: 250, meanLatency: 10 },
    });
  });

  test('count a mix of classes by its work', () => {
    const { clock, windows, limiter } = watched();
    const run = (operationClass: string, ms: number) => {
      const permit = limiter.acquire({ operationClass });
      clock.now += ms;
      permit.release();
    };
    // The same stretch of one thing at a time: all cheap, or all dear, is the same work a second.
    for (let index = 0; index < 400; index++) {
      for (let cheap = 0; cheap < 10; cheap++) run('get', 1);
      run('scan', 10);
    }
    const mixed = windows.at(-1)!.workRate;
    for (let index = 0; index < 110; index++) run('scan', 10);
    const dear = windows.at(-1)!;
    expect(dear.succeeded).toBeLessThan(60);
    expect(dear.workRate / mixed).toBeGreaterThan(0.75);
    expect(dear.workRate / mixed).toBeLessThan(1.25);
  });
});

describe('a limiter with adaptive', () => {
  test('starts at 20, and says so in its history', () => {
    const limiter = new Limiter({ adaptive: true });
    expect(limiter.limit).toBe(20);
    expect(limiter.maxConcurrentOps).toBe(1000);
    expect(limiter.history()).toMatchObject([{ from: 1000, to: 20, reason: 'adaptive: initial' }]);
    expect(new Limiter({ adaptive: true, maxConcurrentOps: 8 }).limit).toBe(8);
  });

  test('explains every change by the figures that caused it', () => {
    const { limiter, work } = watched({}, ({ limit }) => limit + 1);
    work(60, 10);
    expect(limiter.history().at(-1)).toMatchObject({
      from: 4,
      to: 5,
      reason: 'window 1',
      window: { succeeded: 50, workRate: expect.closeTo(100), limit: 4 },
    });
  });

  test('never fails an operation because its controller does', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { limiter, work } = watched({}, () => {
      throw new Error('broken');
    });
    work(60, 10);
    await expect(limiter.run(() => 1)).resolves.toBe(1);
    expect(limiter.limit).toBe(4);
    expect(limiter.stats().adaptive).toMatchObject({ verdict: 'controller-failed' });
    emitWarning.mockRestore();
  });

  test('is not confused by a clock that jumps', () => {
    const { clock, limiter, work } = watched({ adaptive: true });
    work(40, 10);
    clock.now += 1e9;
    work(40, 10);
    clock.now -= 2e9;
    work(60, 10);
    expect(limiter.stats().adaptive?.window).toMatchObject({ succeeded: 32 });
    expect(limiter.limit).toBe(20);
    expect(limiter.inFlight).toBe(0);
  });

  test('goes on from a limit set by hand, and brings one outside of its bounds back at the next window', () => {
    const { windows, limiter, work } = watched({}, ({ limit }) => limit - 1);
    work(20, 10);
    limiter.resize(7);
    work(60, 10);
    expect([windows[0]!.limit, limiter.limit]).toEqual([7, 6]);
    const controller: LimitController = { limit: 4, onWindow: ({ limit }) => ({ limit, reason: 'hold' }) };
    const bounded = watched({ adaptive: { controller, max: 8 } });
    bounded.limiter.resize(100);
    expect(bounded.limiter.limit).toBe(100);
    bounded.work(60, 10);
    expect(bounded.limiter.limit).toBe(8);
  });

  test('begins without a change of the limit', () => {
    const { limiter, work } = watched({}, ({ limit }) => limit + 1);
    expect(limiter.stats()).toMatchObject({ limitIncreases: 0, limitDecreases: 0 });
    work(60, 10);
    expect(limiter.stats()).toMatchObject({ limitIncreases: 1, limitDecreases: 0 });
  });

  test('has no adaptive figures where the limit is fixed', () => {
    expect(Object.keys(new Limiter().stats())).not.toContain('adaptive');
    expect(new Limiter({ adaptive: false }).stats().adaptive).toBeUndefined();
  });
});
