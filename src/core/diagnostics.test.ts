import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { limitChannel, rejectChannel, type StateMessage, stateChannel } from './diagnostics.js';
import { Limiter } from './limiter.js';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const stop of undo.splice(0)) stop();
});

type Listener = Parameters<typeof subscribe>[1];

function listen(name: string, listener: Listener): () => void {
  subscribe(name, listener);
  const stop = () => void unsubscribe(name, listener);
  undo.push(stop);
  return stop;
}

/** What is published on a channel from now on. */
function messagesOn(name: string): unknown[] {
  const messages: unknown[] = [];
  listen(name, (message) => messages.push(message));
  return messages;
}

describe('floodgate:reject', () => {
  test('tells each rejection, whatever form asked', async () => {
    const limiter = new Limiter({ name: 'orders', maxConcurrentOps: 2, bulkheads: { scan: 1 } });
    const messages = messagesOn('floodgate:reject');
    limiter.acquire({ operationClass: 'scan' });
    limiter.tryAcquire({ operationClass: 'scan', operation: 'export' });
    limiter.acquire();
    await limiter.run(() => 1).catch(() => {});
    expect(() => limiter.acquire({ operation: 'get' })).toThrow();
    limiter.tryAcquire();
    await limiter.drain({ timeoutMs: 0 });
    await limiter.run(() => 1, { operation: 'late' }).catch(() => {});
    const common = { limiter: 'orders', operationClass: 'default', limit: 2, inFlight: 2 };
    expect(messages).toEqual([
      {
        ...common,
        operation: 'export',
        operationClass: 'scan',
        reason: 'bulkhead',
        inFlight: 1,
      },
      { ...common, operation: 'run', reason: 'limit' },
      { ...common, operation: 'get', reason: 'limit' },
      { ...common, operation: 'tryAcquire', reason: 'limit' },
      { ...common, operation: 'late', reason: 'draining' },
    ]);
  });

  test('tells of every limiter of the process, by name', () => {
    const messages = messagesOn('floodgate:reject');
    for (const name of ['a', 'b']) {
      const limiter = new Limiter({ name, maxConcurrentOps: 1 });
      limiter.acquire();
      limiter.tryAcquire();
    }
    expect(messages).toMatchObject([{ limiter: 'a' }, { limiter: 'b' }]);
  });

  test('tells nothing after the last unsubscribe', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    const heard = vi.fn();
    const stop = listen('floodgate:reject', heard);
    limiter.tryAcquire();
    stop();
    limiter.tryAcquire();
    expect([heard.mock.calls.length, limiter.stats().rejected]).toEqual([1, 2]);
  });
});

describe('floodgate:limit', () => {
  test('tells each change with its reason, and no call that changes nothing', () => {
    const limiter = new Limiter({ name: 'orders', maxConcurrentOps: 10, now: () => 7 });
    const messages = messagesOn('floodgate:limit');
    limiter.resize(5);
    limiter.resize(5);
    limiter.gate.setLimit(6, 'elasticity 0.40: up', { succeeded: 500 });
    const common = { limiter: 'orders', at: 7 };
    expect(messages).toEqual([
      { ...common, from: 10, to: 5, reason: 'resize', window: undefined },
      { ...common, from: 5, to: 6, reason: 'elasticity 0.40: up', window: { succeeded: 500 } },
    ]);
  });
});

describe('floodgate:state', () => {
  test('tells saturated, open, draining and drained, each with the one before', () => {
    const limiter = new Limiter({ name: 'orders', maxConcurrentOps: 1 });
    const messages = messagesOn('floodgate:state');
    limiter.acquire().release();
    const permit = limiter.acquire();
    limiter.drain();
    permit.release();
    const limiterName = { limiter: 'orders' };
    expect(messages).toEqual([
      { ...limiterName, state: 'saturated', previous: 'open' },
      { ...limiterName, state: 'open', previous: 'saturated' },
      { ...limiterName, state: 'saturated', previous: 'open' },
      { ...limiterName, state: 'draining', previous: 'saturated' },
      { ...limiterName, state: 'drained', previous: 'draining' },
    ]);
  });

  test('catches up, with the next operation, on what happened while nobody listened', () => {
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    const permits = [limiter.acquire(), limiter.acquire()];
    const messages = messagesOn('floodgate:state');
    limiter.tryAcquire();
    expect(messages).toEqual([]);
    limiter.resize(1);
    permits[0]!.release();
    permits[1]!.release();
    expect(messages).toMatchObject([
      { state: 'saturated', previous: 'open' },
      { state: 'open', previous: 'saturated' },
    ]);
  });

  test('a subscriber may use the limiter: the messages still form a chain', () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const heard: StateMessage[] = [];
    let taken = 0;
    listen('floodgate:state', (message) => {
      heard.push(message as StateMessage);
      if (heard.at(-1)!.state === 'open' && taken++ === 0) limiter.acquire().release();
    });
    limiter.acquire().release();
    expect(heard.map(({ previous, state }) => `${previous}>${state}`)).toEqual([
      'open>saturated',
      'saturated>open',
      'open>saturated',
      'saturated>open',
    ]);
  });

  test('messages always form a chain that ends at the present state', () => {
    const step = fc.oneof(
      fc.constant('acquire' as const),
      fc.constant('release' as const),
      fc.constant('drain' as const),
      fc.integer({ min: 1, max: 4 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const limiter = new Limiter({ maxConcurrentOps: 4 });
        const heard: StateMessage[] = [];
        const stop = listen('floodgate:state', (message) => heard.push(message as StateMessage));
        const permits: ReturnType<Limiter['tryAcquire']>[] = [];
        for (const each of steps) {
          if (each === 'acquire') permits.push(limiter.tryAcquire());
          else if (each === 'release') permits.pop()?.release();
          else if (each === 'drain') limiter.drain();
          else limiter.resize(each);
        }
        stop();
        const chain = ['open', ...heard.map(({ state }) => state)];
        expect(heard.map(({ previous }) => previous)).toEqual(chain.slice(0, -1));
        expect(chain.at(-1)).toBe(limiter.stats().state);
        expect(heard.filter(({ state, previous }) => state === previous)).toEqual([]);
      }),
    );
  });
});

describe('a subscriber that throws', () => {
  test('harms no operation: Node takes its errors to uncaughtException, on the next tick', async () => {
    const uncaught: unknown[] = [];
    // In place of the test runner's own listener.
    process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error.message));
    undo.push(() => process.setUncaughtExceptionCaptureCallback(null));
    for (const name of ['floodgate:reject', 'floodgate:limit', 'floodgate:state']) {
      listen(name, () => {
        throw new Error(name);
      });
    }
    const heard = messagesOn('floodgate:reject');
    const limiter = new Limiter({ maxConcurrentOps: 2 });
    const permit = limiter.acquire({ weight: 2 });
    await expect(limiter.run(() => 1)).rejects.toMatchObject({ code: 'ERR_BACKPRESSURE' });
    limiter.resize(1);
    permit.release();
    expect(await limiter.run(() => 7)).toBe(7);
    await turn();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, limit: 1, succeeded: 2, rejected: 1 });
    expect(heard).toHaveLength(1);
    expect(uncaught).toEqual([
      'floodgate:state',
      'floodgate:reject',
      'floodgate:limit',
      'floodgate:state',
      'floodgate:state',
      'floodgate:state',
    ]);
  });
});

describe('without subscribers', () => {
  test('no message is built', async () => {
    const publish = [rejectChannel, limitChannel, stateChannel].map((each) => vi.spyOn(each, 'publish'));
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    // The name is read for messages and errors only.
    const name = vi.fn(() => 'orders');
    Object.defineProperty(limiter.gate, 'options', {
      value: Object.defineProperty({ ...limiter.gate.options }, 'name', { get: name }),
    });
    const permit = limiter.acquire();
    limiter.tryAcquire();
    permit.release();
    limiter.resize(1);
    limiter.gate.setLimit(2, 'test', undefined);
    await limiter.drain();
    expect(publish.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
    expect(name).toHaveBeenCalledTimes(0);
    // What is counted would be seen: the error of a rejection reads it once.
    await limiter.run(() => 1).catch(() => {});
    expect(name).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
  });
});
