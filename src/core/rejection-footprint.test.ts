import { queryObjects } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BackpressureError } from './backpressure-error.js';
import { LatencyHistogram } from './latency-histogram.js';
import { Limiter } from './limiter.js';
import { OperationClass } from './operation-class.js';

/** Live objects after a garbage collection, of every kind that a rejection could leave behind. */
function alive() {
  const count = (kind: Parameters<typeof queryObjects>[0]) => queryObjects(kind, { format: 'count' });
  return {
    errors: count(BackpressureError),
    classes: count(OperationClass),
    histograms: count(LatencyHistogram),
    maps: count(Map),
    promises: count(Promise),
  };
}

/** Objects of other parts of the process come and go by a few. */
const NOISE = 50;

/** Why a rejection after 100,000 others costs what the first did; how long it takes is the bench's business. */
describe('rejections', () => {
  beforeAll(() => {
    // queryObjects is experimental; its warning is no one's concern here.
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });

  test('leave nothing behind, however many there were', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    limiter.tryAcquire();
    const before = alive();
    for (let count = 0; count < 100_000; count++) {
      if (count % 2 === 0) await limiter.run(() => 1).catch(() => {});
      else limiter.tryAcquire();
    }
    const after = alive();
    expect(limiter.stats().rejected).toBe(100_001);
    expect(after.errors).toBe(0);
    expect(after.classes).toBe(before.classes);
    expect(after.histograms).toBe(before.histograms);
    expect(after.maps - before.maps).toBeLessThan(NOISE);
    expect(after.promises - before.promises).toBeLessThan(NOISE);
  });

  test('all look alike: the last error has the fields of the first and the same sizes', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    const errorNow = () => {
      try {
        return limiter.acquire();
      } catch (error) {
        return JSON.stringify(error);
      }
    };
    const first = errorNow();
    for (let count = 0; count < 100_000; count++) limiter.tryAcquire();
    expect(errorNow()).toBe(first);
    expect([...limiter.gate.classes].map(({ rejected }) => [...rejected])).toEqual([[['limit', 100_002]]]);
  });
});
