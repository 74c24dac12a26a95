import { describe, expect, test, vi } from 'vitest';
import { Limiter } from './limiter.js';
import { limiterOf } from './limiter-of.js';

describe('limiterOf', () => {
  const limiter = new Limiter();

  test('gives a limiter itself, and that of whatever has one', () => {
    const Limited = Object.assign(class {}, { limiter });
    expect([limiterOf('x', limiter), limiterOf('x', { limiter }), limiterOf('x', Limited)]).toEqual([
      limiter,
      limiter,
      limiter,
    ]);
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['pool', "'pool' (string)"],
    [{}, 'an object (Object)'],
    [{ limiter: 5 }, 'an object (Object)'],
    [() => limiter, 'a function'],
  ])('refuses %o', (value, got) => {
    const message = `floodgate: orders must be a Limiter or a client with one, got ${got}`;
    expect(() => limiterOf('orders', value)).toThrow(new TypeError(message));
  });

  test('tells one of another copy of the package from no limiter at all', async () => {
    vi.resetModules();
    const copy = await import('./limiter.js');
    const foreign = new copy.Limiter();
    const message =
      'floodgate: orders must be a Limiter or a client with one, of this copy of floodgate (npm ls floodgate), got an object';
    expect(() => limiterOf('orders', foreign)).toThrow(`${message} (Limiter)`);
    expect(() => limiterOf('orders', { limiter: foreign })).toThrow(`${message} (Object)`);
  });
});
