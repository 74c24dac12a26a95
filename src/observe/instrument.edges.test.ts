import { createNoopMeter, metrics as global, type Meter } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CollectedMetrics, collectMetrics } from '../../integration/support/collect-metrics.js';
import { Limiter } from '../core/limiter.js';
import { Observers } from '../core/observers.js';
import { instrument } from './instrument.js';

let sdk: CollectedMetrics;
beforeEach(() => {
  sdk = collectMetrics();
});
afterEach(async () => {
  await sdk[Symbol.asyncDispose]();
  global.disable();
  vi.restoreAllMocks();
});

/** How many operations and limiters are exported: `[admitted, durations, gauges]`. */
async function exported(): Promise<[admitted: number, durations: number, gauges: number]> {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const admitted = await sdk.series('floodgate.admitted');
  const durations = await sdk.series('db.client.operation.duration');
  const gauges = await sdk.series('floodgate.limit');
  return [
    sum(admitted.map(([, value]) => value as number)),
    sum(durations.map(([, value]) => (value as { count: number }).count)),
    gauges.length,
  ];
}

function use(limiter: Limiter, times = 1): void {
  for (let count = 0; count < times; count++) limiter.acquire().release();
}

/** Whether anything is told of what happens on a limiter. */
function isListenedTo(limiter: Limiter): boolean {
  const tell = vi.spyOn(Observers.prototype, 'tell');
  use(limiter);
  limiter.gate.recordPoolWait(1);
  limiter.resize(limiter.limit - 1);
  const { length } = tell.mock.calls;
  tell.mockRestore();
  return length > 0;
}

describe('attaching twice', () => {
  test('counts once, until both undos have been called', async () => {
    const limiter = new Limiter();
    const undos = [
      instrument(limiter, { meter: sdk.meter }),
      instrument({ limiter }, { meter: sdk.meter, name: 'floodgate', system: 'other', histograms: true }),
    ];
    use(limiter, 3);
    expect(await exported()).toEqual([3, 3, 1]);
    undos[0]!();
    expect(isListenedTo(limiter)).toBe(true);
    use(limiter);
    expect(await exported()).toEqual([5, 5, 1]);
    undos[1]!();
    expect(isListenedTo(limiter)).toBe(false);
  });

  test.each([
    ['name', { name: 'other' }, "'other' (string)"],
    ['system', { system: 'mysql' }, "'mysql' (string)"],
    ['histograms', { histograms: false }, 'false (boolean)'],
    ['attributes', { attributes: { a: 1 } }, 'an object (Object)'],
  ])('with another %s is refused', (option, options, shown) => {
    const limiter = new Limiter();
    const given = { name: 'orders', system: 'postgresql', attributes: { a: 2 } };
    instrument(limiter, { meter: sdk.meter, ...given });
    instrument(limiter, { meter: sdk.meter, ...given, attributes: { a: 2 } });
    expect(() => instrument(limiter, { meter: sdk.meter, ...options })).toThrow(
      new TypeError(
        `floodgate: ${option} must be the same for a limiter that is instrumented already on this meter, got ${shown}`,
      ),
    );
  });

  test('on two meters reports to both', async () => {
    await using other = collectMetrics();
    const limiter = new Limiter({ name: 'orders' });
    const undo = instrument(limiter, { meter: sdk.meter });
    instrument(limiter, { meter: other.meter });
    use(limiter);
    undo();
    use(limiter);
    const [[, there]] = (await other.series('db.client.operation.duration')) as [
      [unknown, { count: number }],
    ];
    expect(there.count).toBe(2);
  });
});

describe('detaching', () => {
  test('ends the observing, the listening and the timing, and frees the name; twice is once', async () => {
    const limiter = new Limiter();
    const undo = instrument(limiter, { meter: sdk.meter });
    use(limiter);
    expect(await exported()).toEqual([1, 1, 1]);
    undo();
    undo();
    use(limiter, 10_000);
    const stats = vi.spyOn(limiter, 'stats');
    await sdk.collect();
    expect([stats.mock.calls.length, isListenedTo(limiter)]).toEqual([0, false]);
    expect(limiter.gate.clock.sample()).toBeNaN();
    // A second undo of the first must not end the second.
    const again = instrument(new Limiter({ maxConcurrentOps: 7 }), { meter: sdk.meter });
    undo();
    expect(await sdk.series('floodgate.limit')).toEqual([[{ 'floodgate.limiter': 'floodgate' }, 7]]);
    again();
  });

  test('leaves the gauges at zero, as the SDK never forgets a series (opentelemetry-js#2997)', async () => {
    const [gone, kept] = [new Limiter({ name: 'gone' }), new Limiter({ name: 'kept' })];
    const undo = instrument(gone, { meter: sdk.meter });
    instrument(kept, { meter: sdk.meter });
    gone.acquire();
    expect(await sdk.series('floodgate.in_flight')).toEqual([
      [{ 'floodgate.limiter': 'gone' }, 1],
      [{ 'floodgate.limiter': 'kept' }, 0],
    ]);
    undo();
    kept.acquire();
    for (let times = 0; times < 2; times++) {
      for (const [name, value] of Object.entries({
        limit: 1000,
        'limit.max': 1000,
        in_flight: 1,
        waiting: 0,
      })) {
        expect(await sdk.series(`floodgate.${name}`)).toEqual([
          [{ 'floodgate.limiter': 'gone' }, 0],
          [{ 'floodgate.limiter': 'kept' }, value],
        ]);
      }
    }
    expect((await sdk.series('floodgate.permit.oldest_age'))[0]).toEqual([
      { 'floodgate.limiter': 'gone' },
      0,
    ]);
    expect(await sdk.series('floodgate.limit.min')).toEqual([]);
  });

  test('and attaching again before the next export shows the limiter, not the zeros', async () => {
    const limiter = new Limiter({ name: 'orders', maxConcurrentOps: 5 });
    instrument(limiter, { meter: sdk.meter })();
    instrument(limiter, { meter: sdk.meter });
    for (let times = 0; times < 2; times++) {
      expect(await sdk.series('floodgate.limit')).toEqual([[{ 'floodgate.limiter': 'orders' }, 5]]);
    }
  });

  test('and attaching again goes on with the totals of the limiter', async () => {
    const limiter = new Limiter();
    const undo = instrument(limiter, { meter: sdk.meter });
    use(limiter);
    undo();
    use(limiter);
    instrument(limiter, { meter: sdk.meter });
    use(limiter);
    expect(await exported()).toEqual([3, 2, 1]);
  });
});

describe('two limiters of one name', () => {
  test('are refused on one meter; another name helps', async () => {
    const [one, two] = [new Limiter({ name: 'pg' }), new Limiter({ name: 'pg' })];
    instrument(one, { meter: sdk.meter });
    expect(() => instrument(two, { meter: sdk.meter })).toThrow(
      new TypeError(
        "floodgate: name must be one that no other instrumented limiter has, or both would be one series, got 'pg' (string)",
      ),
    );
    expect(isListenedTo(two)).toBe(false);
    instrument(two, { meter: sdk.meter, name: 'pg-reports' });
    expect(await sdk.series('floodgate.limit')).toHaveLength(2);
  });

  test('are fine on two meters of one provider', async () => {
    instrument(new Limiter(), { meter: sdk.meter });
    instrument(new Limiter(), { meter: sdk.provider.getMeter('another') });
    expect(await sdk.series('floodgate.limit')).toHaveLength(1);
  });
});

/** A meter that lacks one method. */
function without(method: keyof Meter): Meter {
  return new Proxy(sdk.meter, {
    get: (target, key) => {
      const value = key === method ? undefined : Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('a meter without histograms', () => {
  test('gets everything else, and no operation is timed', async () => {
    const limiter = new Limiter();
    instrument(limiter, { meter: without('createHistogram') });
    use(limiter, 10_000);
    expect(limiter.gate.clock.sample()).toBeNaN();
    expect(await exported()).toEqual([10_000, 0, 1]);
  });

  test('is refused where they are asked for', () => {
    const options = { meter: without('createHistogram'), histograms: true };
    expect(() => instrument(new Limiter(), options)).toThrow(
      new TypeError(
        'floodgate: histograms must be false or absent for a meter that makes none, got true (boolean)',
      ),
    );
  });
});

describe('without a meter', () => {
  test("the global provider's is taken", async () => {
    global.setGlobalMeterProvider(sdk.provider);
    const limiter = new Limiter();
    instrument(limiter);
    use(limiter);
    expect(await exported()).toEqual([1, 1, 1]);
  });

  test('and without a provider nothing is attached, which one warning tells', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const limiter = new Limiter();
    instrument(limiter)();
    instrument(new Limiter());
    instrument(limiter, { meter: createNoopMeter() });
    expect(isListenedTo(limiter)).toBe(false);
    expect(warn.mock.calls).toEqual([
      [
        'instrument() found no OpenTelemetry meter provider, so nothing will be recorded: register one before, or pass a meter',
        { type: 'FloodgateWarning', code: 'FLOODGATE_NO_METER_PROVIDER' },
      ],
    ]);
  });
});
