import { describe, expect, test, vi } from 'vitest';
import type { AdaptiveOptions } from './adaptive-options.js';
import { resolveAdaptive } from './adaptive-options.js';
import type { LimitController, SampleWindow } from './controller.js';
import { Governor } from './governor.js';
import { windowOf } from './testing/window-of.js';

function governorOf(wanted: () => number, options: AdaptiveOptions = {}) {
  const controller = { limit: 20, onWindow: () => ({ limit: wanted(), reason: 'wanted' }) };
  return new Governor(resolveAdaptive({ ...options, controller }, 1000)!, 0, 'pg');
}

function secondOf(figures: Partial<SampleWindow>): SampleWindow {
  return windowOf({ endedAt: 1000, succeeded: 100, rejected: 10, meanPoolWait: 1, ...figures });
}

const silent = { succeeded: 0, meanLatency: Number.NaN };

test('keeps an integer within min and max', () => {
  const limits = [0, 7.6, 5000].map(
    (wanted) => governorOf(() => wanted, { min: 2, max: 40 }).onWindow(secondOf({})).limit,
  );
  expect(limits).toEqual([2, 8, 40]);
});

test('lets the limit move by its factor a second', () => {
  expect(governorOf(() => 900, { maxChangePerSecond: 2 }).onWindow(secondOf({})).limit).toBe(40);
  expect(governorOf(() => 1, { maxChangePerSecond: 2 }).onWindow(secondOf({ endedAt: 500 })).limit).toBe(14);
});

test('does not believe a window that a stall touched, nor one with few answers', () => {
  const governor = governorOf(() => 5);
  expect(governor.onWindow(secondOf({ stalledMs: 40 }))).toEqual({
    limit: 20,
    reason: 'event loop stalled 40 ms: not believed',
  });
  expect(governor.verdict).toBe('stalled');
  expect(governor.onWindow(secondOf({ succeeded: 4 })).limit).toBe(20);
  expect(governor.verdict).toBe('few-samples');
});

test('where every window is touched by a stall, believes those of which less than a third is lost, from the fifth on', () => {
  const governor = governorOf(() => 25);
  const verdicts = (...stalls: readonly number[]) =>
    stalls.map((stalledMs) => {
      governor.onWindow(secondOf({ stalledMs }));
      return governor.verdict;
    });
  expect(verdicts(60, 60, 60, 60, 60, 299, 300, 60)).toEqual([
    ...Array(4).fill('stalled'),
    'used',
    'used',
    'stalled',
    'used',
  ]);
  expect(verdicts(0, 60)).toEqual(['used', 'stalled']);
});

test('the least limits move, too: by one at least, whatever the pace, and by a guard', () => {
  const steps = (options: AdaptiveOptions, figures: Partial<SampleWindow>) => {
    const governor = governorOf(() => 1, options);
    const limits = [4];
    while (limits.length < 5) {
      const limit = limits.at(-1)!;
      limits.push(governor.onWindow(secondOf({ endedAt: 500, limit, maxInFlight: limit, ...figures })).limit);
    }
    return limits;
  };
  expect(steps({ maxChangePerSecond: 1.1 }, {})).toEqual([4, 3, 2, 1, 1]);
  const guarded = governorOf(() => 100, { targetLatencyMs: 50 });
  expect(guarded.onWindow(secondOf({ limit: 2, maxInFlight: 2, p95: 60 })).limit).toBe(1);
});

test('without figures holds for 10 s, then drifts to the fallback, and is back at the first figures', () => {
  const governor = governorOf(() => 60, { fallback: 10, initial: 100 });
  let limit = 100;
  const limits: number[] = [];
  for (let second = 1; second <= 20; second++) {
    const times = { startedAt: second * 1000 - 1000, endedAt: second * 1000 };
    limit = governor.onWindow(secondOf({ ...silent, ...times, limit })).limit;
    limits.push(limit);
  }
  expect(limits.slice(0, 9)).toEqual(Array(9).fill(100));
  expect(limits.slice(9)).toEqual([46, 27, 19, 15, 13, 11, 10, 10, 10, 10, 10]);
  expect(governor.stale).toBe(true);
  expect(governor.onWindow(secondOf({ startedAt: 20_000, endedAt: 21_000, limit })).limit).toBe(60);
  expect(governor.stale).toBe(false);
});

test('idleness is not staleness', () => {
  const governor = governorOf(() => 60);
  const nothing = { ...silent, admitted: 0, rejected: 0, maxInFlight: 0, endedAt: 60_000 };
  expect(governor.onWindow(secondOf(nothing))).toEqual({ limit: 20, reason: 'no traffic' });
  expect(governor.verdict).toBe('idle');
});

test.each([
  [{ targetPoolWaitMs: 5 }, { meanPoolWait: 6 }, 'guard: pool wait 6.0 ms above 5 ms'],
  [{ targetLatencyMs: 50 }, { p95: 51 }, 'guard: p95 51.0 ms above 50 ms'],
  [{ maxErrorRatio: 0.1 }, { overloaded: 20 }, 'guard: errors 16.7 % above 10 %'],
])('the guard %o cuts by a fifth, whatever the controller wants', (options, figures, reason) => {
  expect(governorOf(() => 100, options).onWindow(secondOf(figures))).toEqual({ limit: 16, reason });
  expect(governorOf(() => 9, options).onWindow(secondOf(figures))).toEqual({ limit: 9, reason: 'wanted' });
});

test('brings a limit that was set outside of min and max back at the next window, whatever that shows', () => {
  const governor = governorOf(() => 20, { min: 10, max: 40 });
  const limits = [
    { limit: 3, stalledMs: 40 },
    { limit: 3, succeeded: 2 },
    { limit: 90, ...silent },
  ].map((figures) => governor.onWindow(secondOf(figures)).limit);
  expect(limits).toEqual([10, 10, 40]);
});

describe('in shadow mode', () => {
  /** The limits proposed while 1000 is in force. */
  function proposals(wanted: readonly number[], figures: readonly Partial<SampleWindow>[] = []) {
    let index = 0;
    const governor = governorOf(() => wanted[index]!, { observe: true, maxChangePerSecond: 2 });
    return wanted.map((_, at) => {
      index = at;
      return governor.onWindow(secondOf({ limit: 1000, ...figures[at] })).limit;
    });
  }

  test('a controller that holds what is in force proposes nothing new', () => {
    expect(proposals([30, 1000, 1000, 35])).toEqual([30, 30, 30, 35]);
  });

  test('a window that is not believed keeps the last proposal', () => {
    const windows = [{}, { stalledMs: 40 }, { succeeded: 4 }, silent];
    expect(proposals([30, 500, 500, 500], windows)).toEqual([30, 30, 30, 30]);
  });

  test('the pace is that from the last proposal', () => {
    expect(proposals([500, 500, 2])).toEqual([40, 80, 40]);
  });

  test('a stale limit drifts from the last proposal', () => {
    const governor = governorOf(() => 40, { observe: true, fallback: 10 });
    governor.onWindow(secondOf({ limit: 1000 }));
    const drifted = governor.onWindow(secondOf({ ...silent, limit: 1000, endedAt: 11_000 }));
    expect(drifted).toEqual({ limit: 25, reason: 'no figures: drift to the fallback 10' });
  });
});

describe('after a guard has cut', () => {
  /** The limits in force, each from the one before, for these p95. */
  function limitsAfter(wanted: number, latencies: readonly number[]) {
    const governor = governorOf(() => wanted, { targetLatencyMs: 50 });
    let limit = wanted;
    return latencies.map((p95) => {
      const decision = governor.onWindow(secondOf({ limit, maxInFlight: limit, p95 }));
      limit = decision.limit;
      return decision;
    });
  }

  test('the limit is back at what the controller wants by a tenth a window, at least a permit', () => {
    const latencies = [60, 60, ...Array(6).fill(40)];
    const decisions = limitsAfter(40, latencies);
    expect(decisions.map(({ limit }) => limit)).toEqual([32, 26, 29, 32, 35, 39, 40, 40]);
    expect(decisions[2]!.reason).toBe('guard: kept, back by a tenth a window');
    expect(decisions[6]!.reason).toBe('wanted');
    expect(limitsAfter(3, [60, 60, 40, 40]).map(({ limit }) => limit)).toEqual([2, 1, 2, 3]);
  });

  test('a controller that wants less has its way at once', () => {
    let wanted = 40;
    const governor = governorOf(() => wanted, { targetLatencyMs: 50 });
    const limits = [60, 40, 40].map((p95, index) => {
      wanted = [40, 20, 40][index]!;
      return governor.onWindow(secondOf({ limit: 32, maxInFlight: 32, p95 })).limit;
    });
    // What it wants later is no longer held back.
    expect(limits).toEqual([26, 20, 40]);
  });
});

test('a controller that writes into its window harms nobody: the limit is held', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const onWindow = (window: { limit: number }) => {
    window.limit = Number.NaN;
    return { limit: 20, reason: '' };
  };
  const controller = { limit: 20, onWindow } as unknown as LimitController;
  const governor = new Governor(resolveAdaptive({ controller }, 1000)!, 0, 'orders');
  expect(governor.onWindow(secondOf({ limit: 30 })).limit).toBe(30);
  expect(governor.verdict).toBe('controller-failed');
  expect(emitWarning).toHaveBeenCalledTimes(1);
  emitWarning.mockRestore();
});

test('protects after three bad windows in a row, until one is better', () => {
  const governor = governorOf(() => 20, { targetLatencyMs: 100 });
  const protectedAfter = (figures: Partial<SampleWindow>) => {
    governor.onWindow(secondOf(figures));
    return governor.protecting;
  };
  const bad = { overloaded: 6 };
  expect([bad, { p95: 150 }, bad, { p95: 150 }, {}, bad].map(protectedAfter)).toEqual([
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
  // Of 100 and 5 answers, 4.8 %.
  expect([bad, bad, { overloaded: 5 }, bad].map(protectedAfter)).toEqual([false, true, false, false]);
});

test('a controller that protects by its own rule is asked', () => {
  const controller = { limit: 20, protecting: true, onWindow: () => ({ limit: 20, reason: '' }) };
  expect(new Governor(resolveAdaptive({ controller }, 1000)!, 0, 'pg').protecting).toBe(true);
});
