import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AerospikeServer, startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { Aerospike, type ClientUnderTest, limitedClient } from './client-under-test.js';

/**
 * What only a real server does. On the test double each of these passes by its refusal, which names what was left out, and
 * the last one says how many they were.
 */
let server: AerospikeServer;
let subject: ClientUnderTest;
let folder: string;
const leftOut = new Set<string>();

const LUA = `function add(rec, n) rec['n'] = rec['n'] + n; aerospike:update(rec); return rec['n'] end
local function one(rec) return 1 end
function values(stream) return stream : map(one) end
`;

beforeAll(async () => {
  server = await startAerospike();
  folder = await mkdtemp(join(tmpdir(), 'floodgate-udf-'));
  subject = await limitedClient(server.hosts, { maxConcurrentOps: 5 }, { modlua: { userPath: folder } });
  for (let i = 0; i < 60; i++) await subject.client.put(subject.key(i), { n: i });
  await writeFile(join(folder, 'floodgate.lua'), LUA);
  await (await subject.client.udfRegister(join(folder, 'floodgate.lua'))).waitUntilDone(20);
});
afterAll(async () => {
  await subject?.client.udfRemove('floodgate.lua');
  await subject?.[Symbol.asyncDispose]();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs on a real server; on the test double it must be refused as not implemented. */
function onRealServer(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    if (server.double === undefined) await run();
    else {
      await server.double.resetCounts();
      await expect(run()).rejects.toThrow();
      expect((await server.double.counts()).refusals).not.toEqual([]);
      leftOut.add(name);
    }
    expect(subject.client.limiter.stats()).toMatchObject({ inFlight: 0, running: 0, doubleReleases: 0 });
  });
}

const udf = (funcname: string, args: number[] = []) => ({ module: 'floodgate', funcname, args });

onRealServer('apply runs a function on a record', async () => {
  await subject.client.put(subject.key(1), { n: 1 });
  expect(await subject.client.apply(subject.key(1), udf('add', [10]))).toBe(11);
});

onRealServer('batchApply runs one on several records', async () => {
  const results = await subject.client.batchApply([subject.key(2), subject.key(3)], udf('add', [1]));
  expect(results.map(({ status }) => status)).toEqual([0, 0]);
});

onRealServer('an aggregation holds its permit to its end', async () => {
  const query = subject.client.query('test', subject.set);
  query.setUdf('floodgate', 'values');
  const stream = query.foreach();
  let values = 0;
  let least = 5;
  await new Promise<void>((resolve, reject) => {
    stream.on('data', () => {
      values++;
      least = Math.min(least, subject.client.limiter.inFlight);
    });
    stream.on('error', reject);
    stream.on('end', () => resolve());
  });
  expect([values, least]).toEqual([60, 1]);
});

onRealServer('list and map operations', async () => {
  const { client, key } = subject;
  await client.put(key('list'), { l: [] });
  await client.operate(key('list'), [Aerospike.lists.append('l', 1), Aerospike.lists.append('l', 2)]);
  expect((await client.get(key('list'))).bins).toEqual({ l: [1, 2] });
});

onRealServer('a filter expression', async () => {
  const { client, key } = subject;
  const { exp } = Aerospike;
  const policy = { filterExpression: exp.eq(exp.binInt('n'), exp.int(12_345)) };
  const before = client.limiter.stats();
  await expect(client.get(key(1), policy)).rejects.toMatchObject({ code: Aerospike.status.FILTERED_OUT });
  expect(client.limiter.stats().succeeded - before.succeeded).toBe(1);
});

test('what was left to a real server is counted', () => {
  expect(leftOut.size).toBe(server.double === undefined ? 0 : 5);
  if (leftOut.size > 0) {
    console.log(
      `Aerospike: ${leftOut.size} tests were left to a real server (FLOODGATE_AEROSPIKE_HOSTS, or Docker): ${[...leftOut].join('; ')}`,
    );
  }
});
