import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Limiter as LimiterClass } from './limiter.js';
import type { LimiterOptions } from './limiter-options.js';

/** Warnings are given once per process, so each test loads the module anew. */
let Limiter: typeof LimiterClass;
let warnings: string[];

beforeEach(async () => {
  vi.resetModules();
  ({ Limiter } = await import('./limiter.js'));
  warnings = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function outcomeOf(error: unknown, classify?: unknown): Promise<object> {
  const limiter = new Limiter({ classify } as LimiterOptions);
  await expect(limiter.run(() => Promise.reject(error))).rejects.toBe(error);
  const { admitted, inFlight, succeeded, failed, overloaded, ignored } = limiter.stats();
  expect([admitted, inFlight]).toEqual([1, 0]);
  return { succeeded, failed, overloaded, ignored };
}

const NONE = { succeeded: 0, failed: 0, overloaded: 0, ignored: 0 };

describe('without classify, an error counts as', () => {
  test('failed when it says nothing', async () => {
    expect(await outcomeOf(new Error('unique violation'))).toEqual({ ...NONE, failed: 1 });
    expect(await outcomeOf('a string')).toEqual({ ...NONE, failed: 1 });
  });

  test('overload when a connection was refused', async () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(await outcomeOf(refused)).toEqual({ ...NONE, overloaded: 1 });
  });

  test('ignored when the caller aborted', async () => {
    expect(await outcomeOf(AbortSignal.abort().reason)).toEqual({ ...NONE, ignored: 1 });
  });

  test('failed when reading it throws', async () => {
    const hostile = Object.defineProperty(new Error('hostile'), 'cause', {
      get() {
        throw new Error('no cause for you');
      },
    });
    expect(await outcomeOf(hostile)).toEqual({ ...NONE, failed: 1 });
  });
});

describe('classify', () => {
  test('has the first word', async () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(await outcomeOf(refused, () => 'ignored')).toEqual({ ...NONE, ignored: 1 });
  });

  test('may call an error a success', async () => {
    expect(await outcomeOf(new Error('not modified'), () => 'success')).toEqual({ ...NONE, succeeded: 1 });
  });

  test('leaves to the default what it returns undefined for', async () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(await outcomeOf(refused, () => undefined)).toEqual({ ...NONE, overloaded: 1 });
    expect(warnings).toEqual([]);
  });

  test('gets the error itself, also of a synchronous throw', async () => {
    const seen: unknown[] = [];
    const limiter = new Limiter({ classify: (error) => void seen.push(error) });
    const error = new Error('sync');
    await limiter
      .run(() => {
        throw error;
      })
      .catch(() => {});
    expect(seen).toEqual([error]);
  });

  test('that throws is warned of once, and the default decides', async () => {
    const classify = () => {
      throw new Error('broken classify');
    };
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(await outcomeOf(refused, classify)).toEqual({ ...NONE, overloaded: 1 });
    expect(await outcomeOf(new Error('x'), classify)).toEqual({ ...NONE, failed: 1 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('classify threw; floodgate goes on without it. Error: broken classify');
  });

  test.each([
    ['error', "'error' (string)"],
    [null, 'null'],
    [0, '0 (number)'],
    [Promise.resolve('overload'), 'an object (Promise)'],
  ])('that returns %o, no outcome, is warned of once, and the default decides', async (outcome, shown) => {
    expect(await outcomeOf(new Error('x'), () => outcome)).toEqual({ ...NONE, failed: 1 });
    expect(await outcomeOf(new Error('x'), () => outcome)).toEqual({ ...NONE, failed: 1 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(
      `outcome must be 'success', 'failed', 'overload' or 'ignored', got ${shown}`,
    );
  });
});
