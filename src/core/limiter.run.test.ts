import { describe, expect, test, vi } from 'vitest';
import { BackpressureError } from './backpressure-error.js';
import { Limiter } from './limiter.js';

/** What `run` must never do: throw, whatever it is given. */
function runs(limiter: Limiter, fn: unknown, op?: unknown): Promise<unknown> {
  return limiter.run(fn as () => unknown, op as never);
}

describe('run', () => {
  test('returns what the function returns, plain or promised', async () => {
    const limiter = new Limiter();
    expect(await limiter.run(() => 1)).toBe(1);
    expect(await limiter.run(async () => 2)).toBe(2);
    expect(await limiter.run(() => undefined)).toBe(undefined);
    expect(limiter.stats()).toMatchObject({ admitted: 3, succeeded: 3, inFlight: 0, running: 0 });
  });

  test('calls an admitted function in the same tick', () => {
    const limiter = new Limiter();
    let called = 0;
    limiter.run(() => {
      called = limiter.inFlight;
    });
    expect(called).toBe(1);
  });

  test('holds the permit until the promise settles', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    let resolve: (value: string) => void = () => {};
    const running = limiter.run(
      () =>
        new Promise<string>((settle) => {
          resolve = settle;
        }),
    );
    await Promise.resolve();
    expect(limiter.inFlight).toBe(1);
    resolve('done');
    expect(await running).toBe('done');
    expect(limiter.inFlight).toBe(0);
  });

  test('does not call the function of a refused operation', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    const fn = vi.fn();
    await expect(limiter.run(fn)).rejects.toBeInstanceOf(BackpressureError);
    expect(fn).toHaveBeenCalledTimes(0);
    expect(limiter.stats()).toMatchObject({ admitted: 1, rejected: 1, rejectedByReason: { limit: 1 } });
  });

  test('names the operation in the rejection, and "run" where it has no name', async () => {
    const limiter = new Limiter({ name: 'orders', maxConcurrentOps: 1 });
    limiter.acquire();
    await expect(limiter.run(() => 1, { operation: 'insert' })).rejects.toMatchObject({
      operation: 'insert',
      limiter: 'orders',
      limit: 1,
      inFlight: 1,
      reason: 'limit',
    });
    await expect(limiter.run(() => 1)).rejects.toMatchObject({ operation: 'run' });
  });

  test('turns a synchronous throw into a rejection and takes the permit back', async () => {
    const limiter = new Limiter();
    const thrown = new Error('no table');
    const running = limiter.run(() => {
      throw thrown;
    });
    expect(limiter.inFlight).toBe(0);
    await expect(running).rejects.toBe(thrown);
    expect(limiter.stats()).toMatchObject({ admitted: 1, failed: 1 });
  });

  test('passes on a rejection as it is, even one of undefined', async () => {
    const limiter = new Limiter();
    await expect(limiter.run(() => Promise.reject(undefined))).rejects.toBe(undefined);
    expect(limiter.stats()).toMatchObject({ failed: 1, inFlight: 0 });
  });

  test('leaves a rejection that nobody handles unhandled, once', async () => {
    const unhandled: unknown[] = [];
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (reason) => unhandled.push(reason));
    new Limiter().run(() => Promise.reject('lost'));
    await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
    expect(unhandled).toEqual(['lost']);
  });

  test.each([42, undefined, null, 'select 1', {}])(
    'rejects %o in place of a function and admits nothing',
    async (fn) => {
      const limiter = new Limiter();
      await expect(runs(limiter, fn)).rejects.toThrow(
        new TypeError(`floodgate: run() takes a function, got ${typeof fn}`),
      );
      expect(limiter.stats()).toMatchObject({ admitted: 0, rejected: 0 });
    },
  );

  test.each([
    [{ weight: 0 }, RangeError, 'floodgate: weight must be an integer >= 1, got 0 (number)'],
    [{ weight: '2' }, TypeError, "floodgate: weight must be an integer >= 1, got '2' (string)"],
    [
      { operationClass: 7 },
      TypeError,
      'floodgate: operationClass must be a non-empty string, got 7 (number)',
    ],
    [
      { operationClass: '' },
      RangeError,
      "floodgate: operationClass must be a non-empty string, got '' (string)",
    ],
    [
      { operation: Symbol('q') },
      TypeError,
      'floodgate: operation must be a non-empty string, got Symbol(q) (symbol)',
    ],
  ])('rejects the operation %o and admits nothing', async (op, type, message) => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    await expect(runs(limiter, () => 1, op)).rejects.toThrow(new type(message));
    expect(limiter.stats()).toMatchObject({ admitted: 0, rejected: 0 });
  });
});

describe('run with a foreign thenable', () => {
  // biome-ignore-start lint/suspicious/noThenProperty: thenables are what is tested
  test('that calls back twice settles once', async () => {
    const limiter = new Limiter();
    const twice = {
      then(resolve: (value: string) => void, reject: (error: Error) => void) {
        resolve('first');
        resolve('second');
        reject(new Error('third'));
      },
    };
    expect(await runs(limiter, () => twice)).toBe('first');
    expect(limiter.stats()).toMatchObject({ inFlight: 0, succeeded: 1, failed: 0 });
  });

  test('that returns nothing from then holds its permit until it calls back', async () => {
    const limiter = new Limiter();
    let callBack: ((value: number) => void) | undefined;
    const running = runs(limiter, () => ({
      then(resolve: (value: number) => void) {
        callBack = resolve;
      },
    }));
    await Promise.resolve();
    expect(limiter.inFlight).toBe(1);
    callBack?.(5);
    expect(await running).toBe(5);
    expect(limiter.inFlight).toBe(0);
  });

  test('whose then throws is a failed operation', async () => {
    const limiter = new Limiter();
    const thrown = new Error('broken then');
    const running = runs(limiter, () => ({
      then() {
        throw thrown;
      },
    }));
    await expect(running).rejects.toBe(thrown);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, failed: 1 });
  });

  test('whose then is a throwing getter is a failed operation', async () => {
    const limiter = new Limiter();
    const thrown = new Error('broken getter');
    const hostile = Object.defineProperty({}, 'then', {
      get() {
        throw thrown;
      },
    });
    await expect(runs(limiter, () => hostile)).rejects.toBe(thrown);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, failed: 1 });
  });

  test('that is a function with a then is waited for', async () => {
    const limiter = new Limiter();
    const callable = Object.assign(() => 0, { then: (resolve: (value: number) => void) => resolve(9) });
    expect(await runs(limiter, () => callable)).toBe(9);
  });

  test('that only has a then property, no method, is a plain value', async () => {
    const limiter = new Limiter();
    const value = { then: 'later' };
    expect(await runs(limiter, () => value)).toBe(value);
  });

  test('that is lazy starts once', async () => {
    const limiter = new Limiter();
    let started = 0;
    class LazyQuery extends Promise<string> {
      static override get [Symbol.species]() {
        return Promise;
      }
      override then<A = string, B = never>(
        resolve?: ((value: string) => A | PromiseLike<A>) | null,
        reject?: ((reason: unknown) => B | PromiseLike<B>) | null,
      ): Promise<A | B> {
        started++;
        return super.then(resolve, reject);
      }
    }
    expect(await limiter.run(() => new LazyQuery((resolve) => resolve('row')))).toBe('row');
    expect(started).toBe(1);
    expect(limiter.inFlight).toBe(0);
  });

  test('that is a promise of a subclass that cannot be derived fails as an await of it does', async () => {
    class Request extends Promise<string> {
      readonly url: string;
      constructor(url: string) {
        super((resolve) => resolve(`answer of ${url}`));
        this.url = url;
      }
    }
    const limiter = new Limiter();
    const bare = await (async () => await new Request('a'))().catch((error) => error.message);
    await expect(limiter.run(() => new Request('a'))).rejects.toThrow(new TypeError(bare));
    expect(limiter.stats()).toMatchObject({ inFlight: 0, failed: 1 });
  });
  // biome-ignore-end lint/suspicious/noThenProperty: thenables are what is tested
});
