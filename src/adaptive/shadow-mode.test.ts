import { describe, expect, test, vi } from 'vitest';
import type { LimitMessage } from '../core/diagnostics.js';
import { limitChannel } from '../core/diagnostics.js';
import { Limiter } from './limiter.js';
import { StallMonitor } from './stall-monitor.js';

/** 50 permits in force, on a clock of the test's, with a controller that wants these one after the other. */
function shadowed(wanted: readonly number[]) {
  const clock = { now: 0 };
  let windows = 0;
  const controller = {
    limit: 10,
    onWindow: () => ({ limit: wanted[Math.min(windows++, wanted.length - 1)]!, reason: `window ${windows}` }),
  };
  const limiter = new Limiter(
    { now: () => clock.now, maxConcurrentOps: 50, adaptive: { controller, observe: true } },
    new StallMonitor(),
  );
  const work = (seconds: number) => {
    for (let index = 0; index < seconds * 100; index++) {
      const permit = limiter.acquire();
      clock.now += 10;
      permit.release();
    }
  };
  return { limiter, work };
}

describe('shadow mode', () => {
  test('leaves the limit alone, and tells what it would be', () => {
    const { limiter, work } = shadowed([30]);
    work(0.6);
    expect(limiter.limit).toBe(50);
    expect(limiter.stats()).toMatchObject({
      limitIncreases: 0,
      limitDecreases: 0,
      adaptive: { proposedLimit: 30, reason: 'window 1', observe: true, stale: false },
    });
  });

  test('keeps what it would have done in the history, each with its reason and marked as proposed', () => {
    const { limiter, work } = shadowed([30, 30, 50, 12]);
    work(2.1);
    expect(limiter.history()).toEqual([
      { at: 500, from: 10, to: 30, reason: 'window 1', window: expect.anything(), proposed: true },
      { at: 2000, from: 30, to: 12, reason: 'window 4', window: expect.anything(), proposed: true },
    ]);
    expect(limiter.history()[1]!.window).toMatchObject({ succeeded: 50, limit: 50 });
  });

  test('tells of changes in force alone: a resize, and no proposal', () => {
    const { limiter, work } = shadowed([30]);
    const onLimitChange = vi.fn();
    const published: LimitMessage[] = [];
    const listen = (message: unknown) => published.push(message as LimitMessage);
    limitChannel.subscribe(listen);
    limiter.subscribe({ onLimitChange });
    work(0.6);
    limiter.resize(40);
    limitChannel.unsubscribe(listen);
    const resized = { at: 600, from: 50, to: 40, reason: 'resize', window: undefined };
    expect(onLimitChange.mock.calls).toEqual([[resized]]);
    expect(published).toEqual([{ limiter: 'floodgate', ...resized }]);
    expect(limiter.history().map(({ to, proposed }) => [to, proposed])).toEqual([
      [30, true],
      [40, undefined],
    ]);
    expect(limiter.stats()).toMatchObject({ limitIncreases: 0, limitDecreases: 1 });
  });
});
