import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Limiter } from './limiter.js';
import type { LimiterObserver } from './limiter-observer.js';
import { Observers } from './observers.js';

const EVENTS = [
  'onAdmit',
  'onReject',
  'onRelease',
  'onLatency',
  'onPoolWait',
  'onConnectTime',
  'onLimitChange',
  'onStateChange',
] as const;

/** Notes every event as [name, ...arguments]. */
function recorder() {
  const events: unknown[][] = [];
  const observer: LimiterObserver = Object.fromEntries(
    EVENTS.map((name) => [name, (...args: unknown[]) => void events.push([name, ...args])]),
  );
  return { events, observer };
}

describe('an observer', () => {
  test('hears each event with its arguments, in order', () => {
    let now = 0;
    const limiter = new Limiter({ maxConcurrentOps: 2, now: () => now });
    const { events, observer } = recorder();
    limiter.subscribe(observer);
    const permit = limiter.acquire({ operationClass: 'batch', weight: 2 });
    limiter.tryAcquire();
    now = 5;
    permit.release('overload');
    limiter.resize(1);
    limiter.gate.recordPoolWait(7);
    limiter.gate.recordConnectTime(30);
    limiter.drain();
    expect(events).toEqual([
      ['onAdmit', 'batch', 2],
      ['onStateChange', 'saturated', 'open'],
      ['onReject', 'default', 'limit'],
      ['onLatency', 'batch', 5, 'overload'],
      ['onRelease', 'batch', 2, 'overload'],
      ['onStateChange', 'open', 'saturated'],
      ['onLimitChange', { at: 5, from: 2, to: 1, reason: 'resize', window: undefined }],
      ['onPoolWait', 7],
      ['onConnectTime', 30],
      ['onStateChange', 'drained', 'open'],
    ]);
  });

  test('hears of run what it hears of acquire', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1, now: () => 0 });
    const { events, observer } = recorder();
    limiter.subscribe(observer);
    await limiter.run(() => limiter.run(() => 1).catch(() => 2), { operationClass: 'query' });
    expect(events).toEqual([
      ['onAdmit', 'query', 1],
      ['onStateChange', 'saturated', 'open'],
      ['onReject', 'default', 'limit'],
      ['onLatency', 'query', 0, 'success'],
      ['onRelease', 'query', 1, 'success'],
      ['onStateChange', 'open', 'saturated'],
    ]);
  });

  test('hears draining and drained, in that order', () => {
    const limiter = new Limiter();
    const permit = limiter.acquire();
    const { events, observer } = recorder();
    limiter.subscribe(observer);
    limiter.drain();
    permit.release('ignored');
    expect(events).toEqual([
      ['onStateChange', 'draining', 'open'],
      ['onRelease', 'default', 1, 'ignored'],
      ['onStateChange', 'drained', 'draining'],
    ]);
  });

  test('hears of a state that a resize brings about', () => {
    const limiter = new Limiter({ maxConcurrentOps: 3 });
    limiter.acquire();
    const onStateChange = vi.fn();
    limiter.subscribe({ onStateChange });
    limiter.resize(1);
    limiter.resize(2);
    expect(onStateChange.mock.calls).toEqual([
      ['saturated', 'open'],
      ['open', 'saturated'],
    ]);
  });

  test('hears nothing after its undo, and undoing twice is undoing once', () => {
    const limiter = new Limiter();
    const [first, second] = [vi.fn(), vi.fn()];
    const undo = limiter.subscribe({ onAdmit: first });
    limiter.subscribe({ onAdmit: second });
    limiter.acquire();
    undo();
    undo();
    limiter.acquire();
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 2]);
  });

  test('subscribed twice hears twice, and each undo takes one away', () => {
    const limiter = new Limiter();
    const onAdmit = vi.fn();
    const observer = { onAdmit };
    const undo = limiter.subscribe(observer);
    limiter.subscribe(observer);
    limiter.acquire();
    undo();
    limiter.acquire();
    expect(onAdmit).toHaveBeenCalledTimes(3);
  });

  test('is called as a method of itself', () => {
    class Counter implements LimiterObserver {
      admitted = 0;
      onAdmit(): void {
        this.admitted++;
      }
    }
    const limiter = new Limiter();
    const counter = new Counter();
    limiter.subscribe(counter);
    limiter.acquire();
    expect(counter.admitted).toBe(1);
  });

  test.each(['onAdmit', 'onRelease', 'onStateChange', 'onLatency'] as const)(
    'may take itself away in %s',
    (event) => {
      const limiter = new Limiter({ maxConcurrentOps: 1 });
      let calls = 0;
      const undo = limiter.subscribe({
        [event]: () => {
          calls++;
          undo();
        },
      });
      limiter.acquire().release();
      limiter.acquire().release();
      expect([calls, limiter.stats().inFlight, limiter.stats().succeeded]).toEqual([1, 0, 2]);
    },
  );

  test('may use the limiter: what it takes in onRelease is counted', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const taken: unknown[] = [];
    limiter.subscribe({ onRelease: () => void taken.push(limiter.tryAcquire()) });
    limiter.acquire().release();
    expect([taken.length, limiter.inFlight]).toEqual([1, 1]);
  });

  test('of latencies hears every one, also in a burst; when it is gone, they are thinned', () => {
    const limiter = new Limiter();
    const sampled = () => {
      const sample = vi.spyOn(limiter.gate.clock, 'sample');
      for (let count = 0; count < 10_000; count++) limiter.acquire().release();
      const timed = sample.mock.results.filter(({ value }) => !Number.isNaN(value)).length;
      sample.mockRestore();
      return timed;
    };
    const onLatency = vi.fn();
    const undo = limiter.subscribe({ onLatency });
    expect([sampled(), onLatency.mock.calls.length]).toEqual([10_000, 10_000]);
    undo();
    expect(sampled()).toBeLessThan(5000);
    expect(onLatency).toHaveBeenCalledTimes(10_000);
  });
});

describe('an observer that throws', () => {
  let warnings: [string, { type: string; code: string }][];
  beforeEach(() => {
    warnings = [];
    vi.spyOn(process, 'emitWarning').mockImplementation(
      (...args) => void warnings.push(args as unknown as [string, { type: string; code: string }]),
    );
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('harms neither the operation nor the other observers, and is warned of once an event', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const broken = Object.fromEntries(
      EVENTS.map((event) => [
        event,
        () => {
          throw new Error(`broken ${event}`);
        },
      ]),
    );
    const { events, observer } = recorder();
    limiter.subscribe(broken);
    limiter.subscribe(observer);
    for (let times = 0; times < 3; times++) {
      expect(await limiter.run(() => 7)).toBe(7);
      const permit = limiter.acquire();
      expect(limiter.tryAcquire()).toBe(undefined);
      permit.release();
    }
    limiter.gate.recordPoolWait(1);
    limiter.gate.recordConnectTime(1);
    const other = new Limiter({ maxConcurrentOps: 2 });
    other.subscribe(broken);
    other.resize(1);
    await limiter.drain();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 6, rejected: 3, state: 'drained' });
    expect(events.filter(([event]) => event === 'onAdmit')).toHaveLength(6);
    expect(warnings.map(([text]) => text.split(' threw')[0]).sort()).toEqual([...EVENTS].sort());
    expect(warnings[0]![1]).toEqual({ type: 'FloodgateWarning', code: 'FLOODGATE_CALLBACK_THREW' });
  });
});

describe('without observers', () => {
  test('nothing is built for them', async () => {
    const tell = vi.spyOn(Observers.prototype, 'tell');
    const tellState = vi.spyOn(Observers.prototype, 'tellState');
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.subscribe({ onAdmit: () => {} })();
    await limiter.run(() => limiter.tryAcquire());
    limiter.gate.recordPoolWait(1);
    limiter.resize(1);
    await limiter.drain();
    expect([tell.mock.calls, tellState.mock.calls]).toEqual([[], []]);
  });
});
