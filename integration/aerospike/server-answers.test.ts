import { setTimeout as sleep } from 'node:timers/promises';
import type { Key, KeyOptions } from 'aerospike';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AerospikeServer, startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { Aerospike, type ClientUnderTest, keyIn, limitedClient } from './client-under-test.js';

/**
 * What a server of version 8 answers (recorded on 8.0.0.15), through a limited client. Every test of this file runs on any
 * server: on a real one they check the limited client, here the test double as well.
 */
let server: AerospikeServer;
let subject: ClientUnderTest;

beforeAll(async () => {
  server = await startAerospike();
  subject = await limitedClient(server.hosts);
});
afterAll(async () => {
  await subject?.[Symbol.asyncDispose]();
  await server?.close();
});

const { operations, policy, status, ttl } = Aerospike;
/** A record that no test has written, not even one that is tried again. */
const fresh = (name: string) => subject.key(`${name} ${++records}`);
let records = 0;
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: { code: unknown }) => error.code,
  );
const binsOf = async (key: Key & KeyOptions) => (await subject.client.get(key)).bins;

describe('a record', () => {
  test('has its values, a generation and a time to live', async () => {
    const { client } = subject;
    const one = fresh('values');
    const bins = {
      integer: 1,
      large: 9_007_199_254_740_993n,
      double: 1.5,
      string: 'x',
      yes: true,
      bytes: Buffer.from([0, 1, 255]),
      list: [1, [2, 'three']],
      map: { a: 1, b: { c: 2 } },
    };
    await client.put(one, bins, { ttl: ttl.NEVER_EXPIRE });
    const first = await client.get(one);
    expect(first.bins).toEqual(bins);
    expect([first.gen, first.ttl]).toEqual([1, ttl.NEVER_EXPIRE]);
    await client.put(one, { integer: 2 }, { ttl: ttl.NEVER_EXPIRE });
    const second = await client.get(one);
    expect([second.gen, second.bins.integer, second.bins.string]).toEqual([2, 2, 'x']);
    const { bins: selected } = await client.select(one, ['string', 'none']);
    expect(selected).toEqual({ string: 'x' });
  });

  test('that is not there is error 2, to whoever needs it', async () => {
    const { client } = subject;
    const none = fresh('none');
    const codes = await Promise.all([
      codeOf(client.get(none)),
      codeOf(client.select(none, ['n'])),
      codeOf(client.remove(none)),
      codeOf(client.operate(none, [operations.touch(0)])),
      codeOf(client.operate(none, [operations.read('n')])),
      codeOf(client.put(none, { n: 1 }, {}, { exists: policy.exists.UPDATE })),
      codeOf(client.put(none, { n: 1 }, {}, { exists: policy.exists.REPLACE })),
      codeOf(client.put(none, { n: null })),
      codeOf(client.remove(none, { gen: policy.gen.EQ, generation: 5 } as never)),
    ]);
    expect(codes).toEqual(codes.map(() => status.ERR_RECORD_NOT_FOUND));
    expect(await client.exists(none)).toBe(false);
  });

  test('is written only as the policy allows', async () => {
    const { client } = subject;
    const one = fresh('policy');
    await client.put(one, { n: 1, other: 1 });
    expect(await codeOf(client.put(one, { n: 2 }, {}, { exists: policy.exists.CREATE }))).toBe(5);
    expect(await codeOf(client.put(one, { n: 2 }, { gen: 999 }, { gen: policy.gen.EQ }))).toBe(3);
    expect(await codeOf(client.put(one, { n: 2 }, { gen: 1 }, { gen: policy.gen.GT }))).toBe(3);
    expect(await codeOf(client.remove(one, { gen: policy.gen.EQ, generation: 999 } as never))).toBe(3);
    expect(await codeOf(client.put(one, { n: 2 }, { gen: 1 }, { gen: policy.gen.EQ }))).toBe('no error');
    expect(await codeOf(client.put(one, { n: 3 }, {}, { exists: policy.exists.REPLACE }))).toBe('no error');
    expect(await client.get(one)).toMatchObject({ gen: 3, bins: { n: 3 } });
    expect(Object.keys(await binsOf(one))).toEqual(['n']);
  });

  test('loses a bin that is written as null, and goes with its last one', async () => {
    const { client } = subject;
    const one = fresh('null');
    await client.put(one, { a: 1, b: 2 });
    await client.put(one, { a: null });
    expect(await binsOf(one)).toEqual({ b: 2 });
    await client.put(one, { b: null });
    expect(await client.exists(one)).toBe(false);
  });

  test('that is too big is error 13', async () => {
    const { client, key } = subject;
    expect(await codeOf(client.put(key('big'), { bytes: Buffer.alloc(9 * 1024 * 1024) }))).toBe(13);
  });

  test('is gone when its time to live is over', async () => {
    const { client } = subject;
    const one = fresh('ttl');
    const config = await client.infoAny('get-config:context=namespace;id=test');
    const written = await codeOf(client.put(one, { n: 1 }, { ttl: 2 }));
    if (/\bnsup-period=0\b/.test(config) && !/\ballow-ttl-without-nsup=true\b/.test(config)) {
      // A server that deletes nothing takes no such record.
      expect(written).toBe(22);
      return;
    }
    expect(written).toBe('no error');
    const { ttl: left } = await client.get(one);
    expect([1, 2]).toContain(left);
    await client.operate(one, [operations.touch(100)]);
    expect((await client.get(one)).ttl).toBeGreaterThan(90);
    await client.operate(one, [operations.touch(2)]);
    await sleep(3_300);
    expect(await client.exists(one)).toBe(false);
  });
});

describe('operate', () => {
  test('answers what is read, after what was written before it', async () => {
    const { client } = subject;
    const one = fresh('op');
    await client.put(one, { n: 1, s: 'b' });
    const { bins } = await client.operate(one, [
      operations.incr('n', 5),
      operations.append('s', 'c'),
      operations.prepend('s', 'a'),
      operations.write('new', 1),
      operations.read('n'),
      operations.read('s'),
      operations.read('none'),
    ]);
    expect({ n: bins.n, s: bins.s }).toEqual({ n: 6, s: 'abc' });
    expect(await client.get(one)).toMatchObject({ gen: 2, bins: { n: 6, s: 'abc', new: 1 } });
  });

  test('that fails at one operation does nothing: a number is not added to a string', async () => {
    const { client } = subject;
    const one = fresh('type');
    await client.put(one, { n: 1, s: 'b' });
    expect(await codeOf(client.operate(one, [operations.incr('n', 1), operations.incr('s', 1)]))).toBe(12);
    expect(await codeOf(client.append(one, { n: 'x' }))).toBe(12);
    expect(await client.get(one)).toMatchObject({ gen: 1, bins: { n: 1, s: 'b' } });
  });
});

test('what the client itself knows to be wrong it says at once', async () => {
  const { client, key } = subject;
  const elsewhere = new Aerospike.Key('nope', 's', 'k') as Key & KeyOptions;
  expect(await codeOf(client.get(elsewhere))).toBe(status.ERR_NAMESPACE_NOT_FOUND);
  expect(await codeOf(client.put(key('name'), { ['n'.repeat(16)]: 1 }))).toBe(status.ERR_PARAM);
});

describe('batches', () => {
  test('answer each element by itself', async () => {
    const { client, key } = subject;
    await client.batchRemove([key('b1'), key('b2'), key('b3')]);
    const written = await client.batchWrite([
      {
        type: Aerospike.batchType.BATCH_WRITE,
        key: key('b1'),
        ops: [operations.write('n', 1), operations.incr('m', 2)],
      },
      { type: Aerospike.batchType.BATCH_WRITE, key: key('b2'), ops: [operations.write('n', 2)] },
    ]);
    expect(written.map(({ status }) => status)).toEqual([0, 0]);
    const read = await client.batchRead([
      { key: key('b1'), readAllBins: true },
      { key: key('b2'), bins: ['n'] },
      { key: key('b3'), readAllBins: true },
    ]);
    expect(read.map(({ status, record }) => [status, record?.bins ?? null])).toEqual([
      [0, { n: 1, m: 2 }],
      [0, { n: 2 }],
      [2, null],
    ]);
    const exist = await client.batchExists([key('b1'), key('b3')]);
    expect(exist.map(({ status }) => status)).toEqual([0, 2]);
    const removed = await client.batchRemove([key('b1'), key('b3')]);
    expect(removed.map(({ status }) => status)).toEqual([0, 2]);
  });
});

describe('scans and queries', () => {
  const inSet = (name: number) => keyIn(`${subject.set}q`, name);
  const query = (options = {}) => subject.client.query('test', `${subject.set}q`, options);

  beforeAll(async () => {
    for (let i = 0; i < 50; i++) await subject.client.put(inSet(i), { n: i, g: i % 5, s: `s${i}` });
    // Of another set: it must not show up.
    await subject.client.put(subject.key('outside'), { n: 51 });
  });
  afterAll(() => subject.client.truncate('test', `${subject.set}q`, 0));

  test('bring the records of one set, whole or by pages', async () => {
    const scanned = await subject.client.scan('test', `${subject.set}q`).results();
    expect(scanned).toHaveLength(50);
    const pages = query({ paginate: true, maxRecords: 20 });
    const seen: unknown[] = [];
    for (let page = 0; page < 10; page++) {
      seen.push(...(await pages.results()).map(({ bins }) => bins.n));
      if (!pages.hasNextPage()) break;
    }
    expect(seen.sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  test('need an index for their filter, error 201 without', async () => {
    const { client, set } = subject;
    const filtered = () => {
      const one = query();
      one.where(Aerospike.filter.range('n', 10, 19));
      return one.results();
    };
    expect(await codeOf(filtered())).toBe(status.ERR_INDEX_NOT_FOUND);
    const index = { ns: 'test', set: `${set}q`, bin: 'n', index: `ix${set}q` };
    await (await client.createIntegerIndex(index)).waitUntilDone(20);
    // Newer servers do not mind to be asked again for what is there.
    expect(['no error', status.ERR_INDEX_FOUND]).toContain(await codeOf(client.createIntegerIndex(index)));
    const found = (await filtered()).map(({ bins }) => bins.n as number).sort((a, b) => a - b);
    expect(found).toEqual(Array.from({ length: 10 }, (_, i) => 10 + i));
    await client.indexRemove('test', `ix${set}q`);
  });

  test('of another namespace are error 20', async () => {
    expect(await codeOf(subject.client.scan('nope', 'set').results())).toBe(status.ERR_NAMESPACE_NOT_FOUND);
  });

  test('of a set that nobody has written to bring nothing', async () => {
    expect(await subject.client.scan('test', `${subject.set}none`).results()).toEqual([]);
  });

  test('in the background write every record', async () => {
    const job = await query().operate([operations.incr('g', 100)]);
    await job.waitUntilDone(20);
    expect(await binsOf(inSet(3))).toEqual({ n: 3, g: 103, s: 's3' });
  });
});

test('truncate empties one set', async () => {
  const { client, set, key } = subject;
  const other = keyIn(`${set}t`, 1);
  await client.put(key('stays'), { n: 1 });
  await client.put(other, { n: 1 });
  await sleep(20);
  await client.truncate('test', `${set}t`, 0);
  await vi.waitFor(async () => expect(await client.exists(other)).toBe(false), 5_000);
  expect(await client.exists(key('stays'))).toBe(true);
});

test('removing a module or an index that is not there is no error', async () => {
  const { client, set } = subject;
  await (await client.udfRemove(`${set}.lua`)).waitUntilDone(20);
  const removed = await codeOf(client.indexRemove('test', `ix${set}none`));
  // Some versions say that there is none.
  expect(['no error', status.ERR_INDEX_NOT_FOUND]).toContain(removed);
});
