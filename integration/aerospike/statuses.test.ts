import { expect, test } from 'vitest';
import { AEROSPIKE_OUTCOMES } from '../../src/clients/aerospike/outcomes.js';
import { Aerospike } from './client-under-test.js';

/** These need no server. */
const listed = new Map(
  AEROSPIKE_OUTCOMES.flatMap(({ statuses }) =>
    Object.entries(statuses).map(([status, name]) => [Number(status), name] as const),
  ),
);
const known = Object.entries<unknown>(Aerospike.status).flatMap(([name, status]) =>
  typeof status === 'number' && !name.startsWith('AEROSPIKE_') ? [[name, status] as const] : [],
);

test('the outcome table names every status of the client, by its own name', () => {
  const names = new Map<number, string[]>();
  for (const [name, status] of known) names.set(status, [...(names.get(status) ?? []), name]);
  expect([...listed.keys()].sort((a, b) => a - b)).toEqual([...names.keys()].sort((a, b) => a - b));
  for (const [status, name] of listed) expect(names.get(status)).toContain(name);
});
