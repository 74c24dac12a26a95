import { describe, expect, test } from 'vitest';
import type { LimitController } from './controller.js';
import { Limiter } from './limiter.js';
import { StallMonitor } from './stall-monitor.js';

describe('protect mode', () => {
  test('refuses sheddable classes outright, and says so, until a window is better', () => {
    const clock = { now: 0 };
    const controller: LimitController = { limit: 4, onWindow: ({ limit }) => ({ limit, reason: 'held' }) };
    const adaptive = { controller, sheddable: ['report'] };
    const limiter = new Limiter({ name: 'pg', now: () => clock.now, adaptive }, new StallMonitor());
    const work = (count: number, outcome: 'success' | 'overload') => {
      for (let index = 0; index < count; index++) {
        const permit = limiter.acquire();
        clock.now += 10;
        permit.release(outcome);
      }
    };
    const report = { operationClass: 'report' };
    work(140, 'overload');
    expect([limiter.stats().state, limiter.tryAcquire(report)?.release()]).toEqual(['open', undefined]);
    work(40, 'overload');
    expect(limiter.stats().state).toBe('protecting');
    expect(() => limiter.acquire(report)).toThrow(
      expect.objectContaining({ reason: 'shedding', operationClass: 'report', limit: 4, inFlight: 0 }),
    );
    expect(limiter.stats().rejectedByReason).toEqual({ shedding: 1 });
    limiter.acquire().release();
    work(100, 'success');
    expect(limiter.stats().state).toBe('open');
    limiter.acquire(report).release();
  });

  test.each([
    ['report', "floodgate: adaptive.sheddable must be an array of class names, got 'report' (string)"],
    [[7], 'floodgate: adaptive.sheddable[0] must be a non-empty string, got 7 (number)'],
  ])('of %o is refused', (sheddable, message) => {
    expect(() => new Limiter({ adaptive: { sheddable } as never })).toThrow(new TypeError(message));
  });
});
