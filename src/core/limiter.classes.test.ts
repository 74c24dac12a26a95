import { describe, expect, test } from 'vitest';
import { Limiter } from './limiter.js';
import { MAX_CLASSES } from './operation-classes.js';

describe('weight', () => {
  test('takes that many permits and gives them all back', () => {
    const limiter = new Limiter({ maxConcurrentOps: 10 });
    const heavy = limiter.acquire({ weight: 7 });
    expect(limiter.stats()).toMatchObject({ inFlight: 7, running: 1, peakInFlight: 7 });
    expect(limiter.tryAcquire({ weight: 4 })).toBe(undefined);
    const light = limiter.acquire({ weight: 3 });
    expect(limiter.inFlight).toBe(10);
    heavy.release();
    expect(limiter.inFlight).toBe(3);
    light.release();
    expect(limiter.inFlight).toBe(0);
  });

  test('above the limit is clamped to it, so that the operation can run alone', () => {
    const limiter = new Limiter({ maxConcurrentOps: 4 });
    const permit = limiter.acquire({ weight: 1000 });
    expect(limiter.inFlight).toBe(4);
    permit.release();
    limiter.acquire();
    expect(limiter.tryAcquire({ weight: 1000 })).toBe(undefined);
  });

  test('above its bulkhead is clamped to that', () => {
    const limiter = new Limiter({ maxConcurrentOps: 10, bulkheads: { batch: 3 } });
    limiter.acquire({ operationClass: 'batch', weight: 50 });
    expect(limiter.inFlight).toBe(3);
  });

  test('clamped under one limit gives back what it took after the limit has moved', () => {
    const limiter = new Limiter({ maxConcurrentOps: 8 });
    limiter.resize(2);
    const permit = limiter.acquire({ weight: 5 });
    limiter.resize(8);
    expect(limiter.inFlight).toBe(2);
    permit.release();
    expect(limiter.inFlight).toBe(0);
  });

  test('counts in run too', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 5 });
    const seen = await limiter.run(() => limiter.inFlight, { weight: 5 });
    expect([seen, limiter.inFlight]).toEqual([5, 0]);
  });
});

describe('bulkheads', () => {
  test('cap their class and leave the rest of the limit to the others', () => {
    const limiter = new Limiter({ maxConcurrentOps: 4, bulkheads: { scan: 1 } });
    const scan = limiter.acquire({ operationClass: 'scan' });
    expect(() => limiter.acquire({ operationClass: 'scan' })).toThrow(
      "floodgate: acquire rejected, class 'scan' holds 1 of its 1 permits (1 in flight, limit 4)",
    );
    for (let others = 0; others < 3; others++) limiter.acquire();
    expect(limiter.stats().rejectedByReason).toEqual({ bulkhead: 1 });
    scan.release();
    expect(limiter.acquire({ operationClass: 'scan' }).release()).toBe(undefined);
  });

  test('of a full limiter reject with reason limit', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1, bulkheads: { scan: 1 } });
    limiter.acquire({ operationClass: 'scan' });
    limiter.tryAcquire({ operationClass: 'scan' });
    expect(limiter.stats().rejectedByReason).toEqual({ limit: 1 });
  });

  test('apply to the default class under its name', () => {
    const limiter = new Limiter({ maxConcurrentOps: 5, bulkheads: { default: 2 } });
    expect([1, 2, 3].map(() => limiter.tryAcquire() !== undefined)).toEqual([true, true, false]);
  });

  test('are taken over at construction: changing the object later changes nothing', () => {
    const bulkheads = { scan: 1 };
    const limiter = new Limiter({ maxConcurrentOps: 5, bulkheads });
    bulkheads.scan = 5;
    limiter.acquire({ operationClass: 'scan' });
    expect(limiter.tryAcquire({ operationClass: 'scan' })).toBe(undefined);
  });
});

describe('operation classes', () => {
  test('are counted apart and sum up to the totals', () => {
    const limiter = new Limiter({ maxConcurrentOps: 3 });
    limiter.acquire({ operationClass: 'query' }).release();
    limiter.acquire({ operationClass: 'stream', weight: 2 });
    limiter.tryAcquire({ operationClass: 'stream', weight: 2 });
    const { classes, ...totals } = limiter.stats();
    expect(classes.query).toMatchObject({ admitted: 1, succeeded: 1, running: 0, inFlight: 0, rejected: 0 });
    expect(classes.stream).toMatchObject({ admitted: 1, succeeded: 0, running: 1, inFlight: 2, rejected: 1 });
    expect(totals).toMatchObject({ admitted: 2, succeeded: 1, running: 1, inFlight: 2, rejected: 1 });
  });

  test('are listed too when all they met was rejection', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    limiter.tryAcquire({ operationClass: 'scan' });
    expect(limiter.stats().classes.scan).toMatchObject({ admitted: 0, rejected: 1 });
  });

  test('past 64 names share the class "other"', () => {
    const limiter = new Limiter();
    for (let index = 0; index < 10_000; index++)
      limiter.acquire({ operationClass: `tenant-${index}` }).release();
    const { classes } = limiter.stats();
    // 'default' is there from the start, unused.
    expect(Object.keys(classes)).toHaveLength(MAX_CLASSES);
    expect(classes['tenant-62']).toMatchObject({ admitted: 1 });
    expect(classes['tenant-63']).toBe(undefined);
    expect(classes.other).toMatchObject({ admitted: 10_000 - 63 });
  });

  test('with a bulkhead keep their own class, however many names came before', () => {
    const limiter = new Limiter({ bulkheads: { scan: 2 } });
    for (let index = 0; index < 100; index++) limiter.acquire({ operationClass: `c${index}` }).release();
    limiter.acquire({ operationClass: 'scan' });
    expect(limiter.stats().classes.scan).toMatchObject({ inFlight: 1 });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'may be called %s, which is a name like any other',
    (name) => {
      const limiter = new Limiter({ maxConcurrentOps: 10 });
      limiter.acquire({ operationClass: name });
      const { classes } = limiter.stats();
      expect(Object.keys(classes)).toEqual([name]);
      expect(Object.getOwnPropertyDescriptor(classes, name)?.value).toMatchObject({ admitted: 1 });
      expect(Object.getPrototypeOf(classes)).toBe(Object.prototype);
    },
  );
});

describe('exempt operations (weight 0, for the wrappers of clients)', () => {
  function exempt(limiter: Limiter) {
    return limiter.gate.permitForOperation(limiter.gate.classes.get('admin'), 0);
  }

  test('are never refused and take no room', () => {
    const { gate } = new Limiter({ maxConcurrentOps: 1 });
    const admin = gate.classes.get('admin');
    gate.permitForOperation(admin, 1);
    expect(gate.refusal(admin, 0)).toBe(undefined);
    gate.drain(() => {});
    expect(gate.refusal(admin, 0)).toBe(undefined);
    expect(gate.refusal(admin, 1)).toBe('draining');
  });

  test('are counted as running', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const permit = exempt(limiter);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 1, admitted: 1, state: 'open' });
    permit.release();
    expect(limiter.stats()).toMatchObject({ running: 0, succeeded: 1 });
  });

  test('are waited for by a drain, also when nothing holds a permit any more', () => {
    const limiter = new Limiter();
    const permit = limiter.acquire();
    const commit = exempt(limiter);
    let drained = false;
    limiter.gate.drain(() => {
      drained = true;
    });
    permit.release();
    expect([drained, limiter.stats().state, limiter.inFlight]).toEqual([false, 'draining', 0]);
    commit.release();
    expect([drained, limiter.stats().state]).toEqual([true, 'drained']);
  });
});
