import { describe, expect, test } from 'vitest';
import { Limiter } from './limiter.js';

describe('state', () => {
  test('is saturated exactly while every permit is taken', () => {
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    const states = [limiter.stats().state];
    const permits = [1, 2].map(() => {
      const permit = limiter.acquire();
      states.push(limiter.stats().state);
      return permit;
    });
    for (const permit of permits) {
      permit.release();
      states.push(limiter.stats().state);
    }
    expect(states).toEqual(['open', 'open', 'saturated', 'open', 'open']);
  });

  test('goes from draining to drained and stays there', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const permit = limiter.acquire();
    const drained = limiter.drain();
    expect(limiter.stats().state).toBe('draining');
    permit.release();
    await drained;
    limiter.tryAcquire();
    expect(limiter.stats().state).toBe('drained');
  });
});

describe('the getters', () => {
  test('tell name, limits and counts without a snapshot', () => {
    const limiter = new Limiter({ name: 'a', maxConcurrentOps: 9 });
    limiter.acquire();
    limiter.resize(4);
    const { name, maxConcurrentOps, limit, inFlight, waiting } = limiter;
    expect({ name, maxConcurrentOps, limit, inFlight, waiting }).toEqual({
      name: 'a',
      maxConcurrentOps: 9,
      limit: 4,
      inFlight: 1,
      waiting: 0,
    });
  });
});
