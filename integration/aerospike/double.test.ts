import { setTimeout as sleep } from 'node:timers/promises';
import type { Key } from 'aerospike';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aerospikeDouble } from '../support/servers/aerospike/start-aerospike.js';
import { Aerospike, bareClient, type ClientUnderTest, keyIn } from './client-under-test.js';

/** These tests are of the test double itself, by the bare client: that it refuses aloud what it does not do. */
let server: Awaited<ReturnType<typeof aerospikeDouble>>;
let subject: ClientUnderTest<InstanceType<typeof Aerospike.Client>>;

beforeAll(async () => {
  server = await aerospikeDouble();
  subject = await bareClient(server.hosts);
});
beforeEach(async () => {
  await subject.client.put(subject.key(1), { n: 1 });
  await subject.client.put(subject.key(2), { n: 1 });
  await server.double.resetCounts();
});
afterAll(async () => {
  await subject?.[Symbol.asyncDispose]();
  await server?.close();
});

const { exp, filter, GeoJSON, hll, lists, maps, operations } = Aerospike;
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: { code: unknown }) => error.code,
  );

/** Batches resolve whatever became of their elements. */
async function allOf(batch: Promise<{ status: unknown }[]>): Promise<void> {
  const failed = (await batch).find(({ status }) => status !== 0);
  if (failed !== undefined) throw Object.assign(new Error('an element failed'), { code: failed.status });
}

type Call = (subject: ClientUnderTest<InstanceType<typeof Aerospike.Client>>) => Promise<unknown>;
const read = (key: Key) => ({ key, readAllBins: true });
const isOne = () => exp.eq(exp.binInt('n'), exp.int(1));

const NOT_DONE: readonly [string, Call][] = [
  ['a filter', ({ client, key }) => client.get(key(1), { filterExpression: isOne() })],
  [
    'a filter of a query',
    ({ client, set }) => client.query('test', set).results({ filterExpression: isOne() }),
  ],
  ['a function', ({ client, key }) => client.apply(key(1), { module: 'm', funcname: 'f', args: [] })],
  ['a function in the background', ({ client, set }) => client.query('test', set).background('m', 'f')],
  ['a list operation', ({ client, key }) => client.operate(key(1), [lists.append('l', 1)])],
  ['a map operation', ({ client, key }) => client.operate(key(1), [maps.put('m', 'k', 1)])],
  ['a HyperLogLog', ({ client, key }) => client.operate(key(1), [hll.init('h', 8)])],
  [
    'an expression that is read',
    ({ client, key }) =>
      client.operate(key(1), [exp.operations.read('r', exp.binInt('n'), exp.expReadFlags.DEFAULT)]),
  ],
  ['a GeoJSON', ({ client, key }) => client.put(key(1), { at: new GeoJSON.Point(1, 1) })],
  ['a longer life by a read', ({ client, key }) => client.get(key(1), { readTouchTtlPercent: 50 })],
  [
    'a batch that ends at its first error',
    ({ client, key }) => allOf(client.batchRead([read(key(1)), read(key(2))], { respondAllKeys: false })),
  ],
  [
    'a filter in a batch',
    ({ client, key }) => allOf(client.batchRead([read(key(1)), read(key(2))], { filterExpression: isOne() })),
  ],
  [
    'an index of places',
    ({ client, set }) => client.createGeo2DSphereIndex({ ns: 'test', set, bin: 'n', index: 'places' }),
  ],
  [
    'an index of list elements',
    ({ client, set }) =>
      client.createIntegerIndex({
        ...{ ns: 'test', set, bin: 'l', index: 'elements' },
        type: Aerospike.indexType.LIST,
      }),
  ],
  [
    'a query of list elements',
    ({ client, set }) => {
      const query = client.query('test', set);
      query.where(filter.contains('l', 1, Aerospike.indexType.LIST));
      return query.results();
    },
  ],
  ['compression', ({ client, key }) => client.put(key(1), { s: 'x'.repeat(1_000) }, {}, { compress: true })],
  ['an index elsewhere', ({ client }) => client.indexRemove('elsewhere', 'index')],
];

describe('the test double refuses, and tells', () => {
  test.each(NOT_DONE)('%s', async (_, call) => {
    expect(await codeOf(call(subject))).not.toBe('no error');
    const { refusals } = await server.double.counts();
    expect(refusals).not.toEqual([]);
  });

  test('an info command that it does not know', async () => {
    expect(await codeOf(subject.client.infoAny('racks:'))).toBe(16);
    expect((await server.double.counts()).refusals).toEqual(['info racks:']);
  });
});

describe('as a Community Edition of version 8 does, the test double answers', () => {
  test('error 25 to a transaction and to a durable delete', async () => {
    const { client, key } = subject;
    const transaction = new Aerospike.Transaction();
    expect(await codeOf(client.put(key(1), { n: 2 }, {}, { txn: transaction }))).toBe(25);
    expect(await codeOf(client.get(key(1), { txn: new Aerospike.Transaction() }))).toBe(25);
    expect(await codeOf(client.remove(key(1), { durableDelete: true }))).toBe(25);
    expect((await client.get(key(1))).bins).toEqual({ n: 1 });
  });

  test('error 51 to whoever manages users', async () => {
    expect(await codeOf(subject.client.queryUsers())).toBe(51);
  });

  test('error 4 to what makes no sense, and does nothing', async () => {
    const { client, key } = subject;
    const replace = { exists: Aerospike.policy.exists.REPLACE };
    expect(await codeOf(client.operate(key(1), [operations.incr('n', 1)], {}, replace as never))).toBe(4);
    expect(await codeOf(client.put(key(1), { n: 2 }, { ttl: 400_000_000 }))).toBe(4);
    expect((await client.get(key(1))).bins).toEqual({ n: 1 });
  });

  test('to truncate up to a time, by the time of the last write', async () => {
    const { client, set } = subject;
    const [one, two] = [keyIn(`${set}t`, 1), keyIn(`${set}t`, 2)];
    await client.put(one, { n: 1 });
    await sleep(20);
    const between = Date.now();
    await sleep(20);
    await client.put(two, { n: 2 });
    await client.truncate('test', `${set}t`, between * 1_000_000);
    expect([await client.exists(one), await client.exists(two)]).toEqual([false, true]);
    const tomorrow = (Date.now() + 86_400_000) * 1_000_000;
    expect(await codeOf(client.truncate('test', `${set}t`, tomorrow))).toBe(4);
  });

  test('to the wish for an index by its definition: another name renames it', async () => {
    const { client, set } = subject;
    const index = { ns: 'test', set, bin: 'n', index: `ix${set}a` };
    await client.createIntegerIndex(index);
    await client.createIntegerIndex({ ...index, index: `ix${set}b` });
    expect(await codeOf(client.createIntegerIndex({ ...index, bin: 'm', index: `ix${set}b` }))).toBe(200);
    expect(await codeOf(client.infoAny(`sindex/test/ix${set}a`))).toBe(201);
    expect(await client.infoAny(`sindex/test/ix${set}b`)).toContain('load_pct=100');
  });
});
