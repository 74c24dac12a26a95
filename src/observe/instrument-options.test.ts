import { describe, expect, test, vi } from 'vitest';
import { Limiter } from '../core/limiter.js';
import { instrument } from './instrument.js';

describe('bad input', () => {
  const limiter = new Limiter();
  const subscribe = vi.spyOn(limiter, 'subscribe');

  test.each([undefined, null, 5, 'pg', {}, { limiter: {} }, () => {}])(
    '%o is nothing to instrument',
    (target) => {
      expect(() => instrument(target as never)).toThrow(
        /^floodgate: what instrument\(\) takes must be a Limiter or a client with one, got /,
      );
    },
  );

  test.each([
    [
      { meters: 1 },
      TypeError,
      "unknown instrument option 'meters' (did you mean 'meter'?); a meter is given as { meter }",
    ],
    [
      { meter: null },
      TypeError,
      'meter must be an OpenTelemetry Meter (with createObservableGauge), got null',
    ],
    [
      { meter: 5 },
      TypeError,
      'meter must be an OpenTelemetry Meter (with createObservableGauge), got 5 (number)',
    ],
    [{ name: '' }, RangeError, "name must be a non-empty string, got '' (string)"],
    [{ name: 5 }, TypeError, 'name must be a non-empty string, got 5 (number)'],
    [{ system: 5 }, TypeError, 'system must be a non-empty string, got 5 (number)'],
    [{ histograms: 1 }, TypeError, 'histograms must be a boolean, got 1 (number)'],
    [{ attributes: [] }, TypeError, 'attributes must be an object of attributes, got an array'],
    [
      { attributes: { a: {} } },
      TypeError,
      "attributes['a'] must be a string, number or boolean, got an object (Object)",
    ],
    [
      { attributes: { 'floodgate.limiter': 'mine' } },
      TypeError,
      "attributes['floodgate.limiter'] must be absent, since it is set by itself, got 'mine' (string)",
    ],
    [
      { attributes: { 'error.type': 'x' } },
      TypeError,
      "attributes['error.type'] must be absent, since it is set by itself, got 'x' (string)",
    ],
    [
      { createCounter: 1 },
      TypeError,
      "unknown instrument option 'createCounter' (known: meter, name, system, histograms, attributes); a meter is given as { meter }",
    ],
    [5, TypeError, 'instrument options must be an object, got 5 (number)'],
  ])('options %o', (options, kind, message) => {
    expect(() => instrument(limiter, options as never)).toThrow(new kind(`floodgate: ${message}`));
    expect(subscribe).toHaveBeenCalledTimes(0);
  });

  test('a meter that can be read from but not let go of is refused', () => {
    const made = () => {};
    const meter = {
      createObservableGauge: made,
      createObservableCounter: made,
      addBatchObservableCallback: made,
    } as never;
    expect(() => instrument(limiter, { meter })).toThrow('(with removeBatchObservableCallback)');
  });
});
