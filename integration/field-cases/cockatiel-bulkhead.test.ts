import { BackpressureError, Limiter } from 'floodgate';
import { describe, expect, inject, test } from 'vitest';
import { until } from '../support/faults.js';
import { limitedPool } from '../support/pool-under-test.js';

describe('a newcomer in the same tick as a release (cockatiel, bulkhead)', () => {
  test('never pushes out who was admitted before, and the order stays', async () => {
    await using limited = limitedPool(inject('postgres').url, { maxConcurrentOps: 2 }, { max: 1 });
    const { pool, limiter } = limited;
    const served: string[] = [];
    const holder = await pool.connect();
    // Accepted: it has its permit, and waits for the one connection.
    const accepted = pool.query('select 1').then(() => served.push('accepted'));
    holder.release();
    const newcomer = pool.query('select 1').then(() => served.push('newcomer'));
    const oneTooMany = pool.query('select 1').then(
      () => served.push('one too many'),
      (error) => error,
    );
    expect(limiter.inFlight).toBe(2);
    await Promise.all([accepted, newcomer]);
    expect(served).toEqual(['accepted', 'newcomer']);
    expect(await oneTooMany).toBeInstanceOf(BackpressureError);
    expect(limiter.stats()).toMatchObject({ admitted: 3, rejected: 1, peakInFlight: 2, inFlight: 0 });
  });

  test('holds for a hundred rounds of release and arrival: all that was admitted is served, in its order', async () => {
    await using limited = limitedPool(inject('postgres').url, { maxConcurrentOps: 2 }, { max: 1 });
    const { pool, limiter } = limited;
    const admitted: number[] = [];
    const served: number[] = [];
    let arrival = 0;
    const arrive = () => {
      const index = arrival++;
      const before = limiter.stats().admitted;
      pool.query('select 1').then(
        () => {
          served.push(index);
          // The permit has just come back: in the same tick, one takes it and one is too many.
          if (arrival < 200) [arrive(), arrive()];
        },
        () => {},
      );
      if (limiter.stats().admitted > before) admitted.push(index);
    };
    arrive();
    arrive();
    await until('all are answered', () => arrival >= 200 && limiter.inFlight === 0);
    expect(served).toEqual(admitted);
    expect(limiter.stats()).toMatchObject({ peakInFlight: 2, admitted: admitted.length });
    expect(limiter.stats().rejected).toBe(arrival - admitted.length);
  });

  test('takes the permit that a release has freed, and only that', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const first = limiter.acquire();
    first.release();
    limiter.acquire();
    expect(limiter.inFlight).toBe(1);
    expect(limiter.tryAcquire()).toBeUndefined();
    first.release();
    expect(limiter.tryAcquire()).toBeUndefined();
    expect(limiter).toMatchObject({ inFlight: 1 });
  });
});
