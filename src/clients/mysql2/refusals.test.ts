import mysql from 'mysql2';
import promises from 'mysql2/promise';
import { describe, expect, test } from 'vitest';
import { Limiter } from '../../core/limiter.js';
import { LimitedMysql, limitDriver } from './index.js';

const Untyped = LimitedMysql as unknown as new (...args: unknown[]) => unknown;
// A class that the module has and its types don't show.
const { Pool } = mysql as unknown as Record<string, new () => unknown>;
const NOWHERE = { host: '127.0.0.1', port: 1 };

describe('LimitedMysql refuses', () => {
  const RULE =
    'a pool, a pool cluster or a standalone connection of mysql2 or mysql2/promise, or a function that makes one (for a connection of a pool, limit the pool)';

  test.each([
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a string', 'mysql://', "'mysql://' (string)"],
    ['an object', {}, 'an object (Object)'],
    ['something that has a pool', { pool: mysql.createPool(NOWHERE) }, 'an object (Object)'],
    ['a class', Pool, 'function Pool'],
  ])('%s', (_, value, shown) => {
    expect(() => new LimitedMysql(value as never)).toThrow(
      new TypeError(`floodgate: the client must be ${RULE}, got ${shown}`),
    );
  });

  test.each([
    ['mysql2', mysql],
    ['mysql2/promise', promises],
  ])('the module %s itself, and says what to give', (_, module) => {
    for (const args of [[], [NOWHERE]]) {
      expect(() => new Untyped(module, {}, ...args)).toThrow(
        `floodgate: the client must be ${RULE}, got an object (Object): that is the whole module; give one of its functions, createPool say, or use limitDriver(module, options)`,
      );
    }
  });

  test('a promise that was not awaited', async () => {
    const connecting = promises.createConnection(NOWHERE);
    expect(() => new Untyped(connecting)).toThrow(
      new TypeError(`floodgate: the client must be ${RULE}, got an object (Promise): did you forget await?`),
    );
    await expect(connecting).rejects.toThrow('ECONNREFUSED');
  });

  test('nothing, with a configuration: a function that is not there', () => {
    const { createpool } = mysql as unknown as Record<string, unknown>;
    expect(() => new Untyped(createpool, {}, NOWHERE)).toThrow(
      new TypeError(`floodgate: the client must be ${RULE}, got undefined`),
    );
  });

  test.each([
    ['createPool', mysql.createPool],
    ['createConnection', mysql.createConnection],
    ['createPool', promises.createPool],
    ['createConnection', promises.createConnection],
  ])('no configuration for %s, which needs one', (name, create) => {
    const limiter = new Limiter();
    for (const [args, shown] of [
      [[], 'undefined'],
      [[null], 'null'],
    ] as const) {
      expect(() => new Untyped(create, { limiter }, ...args)).toThrow(
        new TypeError(
          `floodgate: mysql2's configuration for ${name} must be an object or an address, got ${shown}`,
        ),
      );
    }
    expect(limiter.inFlight).toBe(0);
  });

  test('a function that makes something else', () => {
    expect(() => new LimitedMysql((() => 7) as never)).toThrow(
      new TypeError(`floodgate: what the function makes must be ${RULE}, got 7 (number)`),
    );
  });

  test.each([
    ['maxCheckoutMs', 5],
    ['abandonedStatements', 'cancel'],
    ['maxConcurrentOps', 5],
    ['adaptive', true],
    ['bulkheads', {}],
    ['classify', () => undefined],
    ['limiter', new Limiter()],
  ])('%s among the options of mysql2', (option, value) => {
    const config = { ...NOWHERE, [option]: value };
    expect(() => new LimitedMysql(mysql.createPool, {}, config)).toThrow(
      `floodgate: ${option} is an option of LimitedMysql: it goes into the second argument, not into the client's own configuration`,
    );
    expect(() => limitDriver(mysql).createPool(config)).toThrow(
      `floodgate: ${option} is an option of limitDriver: it goes into the second argument, not into the client's own configuration`,
    );
  });

  test('a configuration for a client that exists', () => {
    const pool = mysql.createPool(NOWHERE);
    expect(() => new Untyped(pool, {}, NOWHERE)).toThrow(
      "floodgate: the client's configuration must be absent for a client that exists, got an object (Object)",
    );
  });

  test.each([
    [
      { max: 5 },
      TypeError,
      "unknown LimitedMysql option 'max' (did you mean 'maxConcurrentOps'?); mysql2's own",
    ],
    [{ connectionLimit: 5 }, TypeError, "mysql2's own configuration is the third argument"],
    [{ abandonedStatements: 'kill' }, RangeError, "abandonedStatements must be one of 'wait', 'cancel'"],
    [{ abandonedTimeoutMs: -1 }, RangeError, 'abandonedTimeoutMs must be'],
    [{ maxCheckoutMs: 0 }, RangeError, 'maxCheckoutMs must be'],
    [{ maxConcurrentOps: 0 }, RangeError, 'maxConcurrentOps must be an integer >= 1'],
    [
      { bulkheads: { nested: 1 } },
      TypeError,
      "unknown class in bulkheads 'nested' (known: query, transaction, stream, connection)",
    ],
    [{ limiter: {} }, TypeError, 'limiter must be a floodgate Limiter'],
    [{ limiter: new Limiter(), maxConcurrentOps: 5 }, TypeError, "absent beside 'limiter'"],
    [7, TypeError, 'LimitedMysql options must be an object'],
  ])('the options %j', (options, Class, message) => {
    let made = 0;
    const create = () => {
      made++;
      return mysql.createPool(NOWHERE);
    };
    expect(() => new LimitedMysql(create, options as never)).toThrow(Class);
    expect(() => new LimitedMysql(create, options as never)).toThrow(message);
    expect(made).toBe(0);
  });
});
