import { findBackpressureError } from 'floodgate';
import { type RetryClock, retry } from 'floodgate/retry';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { LIBRARIES, type SaturatedDatabase, saturateDatabase } from '../http/support/saturated-database.js';

const { url } = inject('postgres');
let database: SaturatedDatabase;

beforeEach(async () => {
  database = await saturateDatabase(url);
});
afterEach(() => database[Symbol.asyncDispose]());

/** How the error that reaches the caller is called, and how the rejection lies in it. */
const WRAPPED_AS = {
  pg: ['BackpressureError', undefined],
  drizzle: ['DrizzleQueryError', 'cause'],
  sequelize: ['DatabaseError', 'original'],
  typeorm: ['QueryFailedError', 'driverError'],
} as const;

/** What is waited is not the matter here. */
const IMPATIENT: RetryClock = {
  now: () => 0,
  after(_ms, fire) {
    setImmediate(fire);
    return () => {};
  },
};

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => Promise.reject(new Error('it was admitted')),
    (error: Error) => error,
  );

test.each(LIBRARIES)('a rejection that comes through %s is found, and retried', async (library) => {
  const error = await failureOf(database.calls[library]());
  const rejection = findBackpressureError(error);
  expect(rejection).toMatchObject({ name: 'BackpressureError', reason: 'limit' });
  const [name, key] = WRAPPED_AS[library];
  expect(error.constructor.name).toBe(name);
  expect(key === undefined ? error : Reflect.get(error, key)).toBe(rejection);

  const attempts: number[] = [];
  const rows = await retry(
    ({ attempt }) => {
      attempts.push(attempt);
      if (attempt === 3) database.release();
      return database.calls[library]();
    },
    { budget: false, clock: IMPATIENT },
  );
  expect(rows).toEqual([{ one: 1 }]);
  expect(attempts).toEqual([1, 2, 3]);
});
