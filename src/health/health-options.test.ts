import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Limiter } from '../core/limiter.js';
import { Health } from './health.js';

const orders = new Limiter();
const stock = new Limiter();

describe('Health refuses', () => {
  test.each<[object | number, string, typeof TypeError | typeof RangeError]>([
    [5, 'Health options must be an object, got 5 (number)', TypeError],
    [
      {},
      'Health must be given its dependencies, by name, under required or optional: without any it would always be ready (required: {} for a probe that only tells of a shutdown)',
      TypeError,
    ],
    [{ require: { orders } }, "unknown Health option 'require' (did you mean 'required'?)", TypeError],
    [
      { orders },
      "unknown Health option 'orders' (known: required, optional, commonFailure, intervalMs, failureThreshold, successThreshold, maxOverloadRatio, stalledAfterMs, rampFrom, rampMs, checks, onChange); dependencies stand by name under required or optional",
      TypeError,
    ],
    [
      { required: orders.name },
      "required must be a plain object of dependencies by name, got 'floodgate' (string)",
      TypeError,
    ],
    [
      { required: [orders] },
      'required must be a plain object of dependencies by name, got an array',
      TypeError,
    ],
    [
      { optional: orders },
      'optional must be a plain object of dependencies by name, got an object (Limiter)',
      TypeError,
    ],
    [
      { checks: () => {} },
      'checks must be a plain object of functions by name, got function checks',
      TypeError,
    ],
    [
      { required: { orders: {} } },
      'required.orders must be a Limiter or a client with one, got an object (Object)',
      TypeError,
    ],
    [
      { optional: { orders: null } },
      'optional.orders must be a Limiter or a client with one, got null',
      TypeError,
    ],
    [
      { required: { orders }, optional: { orders: stock } },
      'optional.orders must have another name than required.orders',
      TypeError,
    ],
    [
      { required: { orders, stock: { limiter: orders } } },
      "required.stock must have another limiter than 'orders'",
      TypeError,
    ],
    [
      { commonFailure: 'ready' },
      "commonFailure must be one of 'stay-ready', 'leave', got 'ready' (string)",
      RangeError,
    ],
    [{ intervalMs: 9 }, 'intervalMs must be a number of milliseconds from 10 to', RangeError],
    [{ failureThreshold: 0 }, 'failureThreshold must be an integer >= 1, got 0 (number)', RangeError],
    [{ successThreshold: '3' }, "successThreshold must be an integer >= 1, got '3' (string)", TypeError],
    [{ maxOverloadRatio: 0 }, 'maxOverloadRatio must be a number from 0.01 to 1, got 0 (number)', RangeError],
    [{ stalledAfterMs: -1 }, 'stalledAfterMs must be a number of milliseconds from 0 to', RangeError],
    [{ rampFrom: 2 }, 'rampFrom must be a number from 0 to 1, got 2 (number)', RangeError],
    [{ rampMs: Number.NaN }, 'rampMs must be a number of milliseconds from 0 to', RangeError],
    [{ onChange: true }, 'onChange must be a function, got true (boolean)', TypeError],
    [
      { required: { orders }, checks: { order: () => {} } },
      "unknown dependency in checks 'order' (did you mean 'orders'?)",
      TypeError,
    ],
    [
      { required: { orders }, checks: { orders: 1 } },
      'checks.orders must be a function, got 1 (number)',
      TypeError,
    ],
  ])('%o', (options, message, kind) => {
    const make = () => new Health(options as never);
    expect(make).toThrow(kind);
    expect(make).toThrow(`floodgate: ${message}`);
  });
});

test('names may be any, and the objects of any realm', () => {
  const required = Object.assign(Object.create(null), { ['__proto__']: orders, constructor: stock });
  const optional = runInNewContext('({ [name]: limiter })', { name: 'limiter', limiter: new Limiter() });
  using health = new Health({ required, optional });
  const { dependencies } = health.report();
  expect(Object.keys(dependencies)).toEqual(['__proto__', 'constructor', 'limiter']);
  expect(JSON.parse(health.readyz().body).dependencies.constructor).toEqual({ status: 'up', required: true });
});

test('a wrapped client stands for its limiter', () => {
  using health = new Health({ required: { orders: { limiter: orders } }, optional: { stock } });
  expect(health.report().dependencies).toEqual({
    orders: { status: 'up', required: true },
    stock: { status: 'up', required: false },
  });
});
