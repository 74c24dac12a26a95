import { describe, expect, test } from 'vitest';
import { Limiter } from './limiter.js';

const METHODS =
  'onAdmit, onReject, onRelease, onLatency, onPoolWait, onConnectTime, onLimitChange, onStateChange';

describe('an observer', () => {
  test.each([
    [undefined, 'the observer must be an object, got undefined'],
    [null, 'the observer must be an object, got null'],
    ['observer', "the observer must be an object, got 'observer' (string)"],
    [() => {}, 'the observer must be an object, got a function'],
    [{ onRejct() {} }, "unknown observer method 'onRejct' (did you mean 'onReject'?)"],
    [{ onAdmit() {}, onFinish() {} }, `unknown observer method 'onFinish' (known: ${METHODS})`],
    [{}, `the observer must be an object with ${METHODS}, or some of them, got an object (Object)`],
    [
      new (class Counter {
        onRejct() {}
      })(),
      `the observer must be an object with ${METHODS}, or some of them, got an object (Counter)`,
    ],
    [{ onReject: 'log' }, "the observer's onReject must be a function, got 'log' (string)"],
  ])('%o is refused', (observer, message) => {
    expect(() => new Limiter().subscribe(observer as never)).toThrow(new TypeError(`floodgate: ${message}`));
  });

  test('may have methods that are undefined, and fields of its own', () => {
    const limiter = new Limiter();
    const admitted: string[] = [];
    limiter.subscribe({
      onReject: undefined,
      onAdmit: (name: string) => void admitted.push(name),
      only: 5,
    } as never);
    limiter.acquire();
    expect(admitted).toEqual(['default']);
  });
});

describe('an operation that says nothing, but has a field', () => {
  const op = { operatonClass: 'reports' } as never;
  const mistake = new TypeError(
    "floodgate: unknown operation option 'operatonClass' (did you mean 'operationClass'?)",
  );

  test('is refused, and takes no permit', async () => {
    const limiter = new Limiter();
    expect(() => limiter.acquire(op)).toThrow(mistake);
    expect(() => limiter.tryAcquire(op)).toThrow(mistake);
    await expect(limiter.run(() => 1, op)).rejects.toThrow(mistake);
    expect(() => limiter.acquire('reports' as never)).toThrow(
      new TypeError("floodgate: operation options must be an object, got 'reports' (string)"),
    );
    expect(limiter.stats()).toMatchObject({ admitted: 0, rejected: 0, inFlight: 0 });
  });

  test('but nothing said at all is nothing wrong', async () => {
    const limiter = new Limiter();
    limiter.acquire({});
    limiter.acquire({ operation: undefined, operationClass: undefined, weight: undefined });
    expect(limiter.inFlight).toBe(2);
  });
});
