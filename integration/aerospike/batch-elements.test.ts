import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aerospikeDouble } from '../support/servers/aerospike/start-aerospike.js';
import { type ClientUnderTest, limitedClient } from './client-under-test.js';

/** These tests need the test double, which lets elements of a batch fail on demand. */
let server: Awaited<ReturnType<typeof aerospikeDouble>>;

beforeAll(async () => {
  server = await aerospikeDouble();
});
afterAll(() => server?.close());

async function filled(options: Parameters<typeof limitedClient>[1]): Promise<ClientUnderTest> {
  const subject = await limitedClient(server.hosts, options);
  for (let i = 0; i < 3; i++) await subject.client.put(subject.key(i), { n: i });
  return subject;
}
const read = ({ client, key }: ClientUnderTest, count: number) =>
  client.batchRead(Array.from({ length: count }, (_, i) => ({ key: key(i), readAllBins: true })));

describe('a batch whose elements', () => {
  test.each([
    [18, { overloaded: 1 }],
    [9, { overloaded: 1 }],
    [3, { failed: 1 }],
    [2, { succeeded: 1 }],
    [27, { succeeded: 1 }],
  ])('ended with %i among others is counted by that one', async (result, counts) => {
    await using subject = await filled({ maxConcurrentOps: 3 });
    const before = subject.client.limiter.stats();
    await server.double.faults({ on: 'element', result, times: 1 });
    const statuses = (await read(subject, 3)).map(({ status }) => status);
    await server.double.faults();
    expect(statuses).toEqual([result, 0, 0]);
    const after = subject.client.limiter.stats();
    for (const name of ['succeeded', 'failed', 'overloaded', 'ignored'] as const) {
      expect([name, after[name] - before[name]]).toEqual([
        name,
        (counts as Record<string, number>)[name] ?? 0,
      ]);
    }
  });

  test('are shown to classify one by one, as AerospikeErrors', async () => {
    const seen: unknown[] = [];
    await using subject = await filled({
      classify(error) {
        seen.push([(error as { code: number }).code, (error as Error).constructor.name]);
        return undefined;
      },
    });
    await server.double.faults({ on: 'element', result: 18, times: 1 });
    await subject.client.batchRead([
      { key: subject.key(1), readAllBins: true },
      { key: subject.key('missing'), readAllBins: true },
      { key: subject.key(2), readAllBins: true },
    ]);
    await server.double.faults({ on: 'read', result: 14 });
    await subject.client.get(subject.key(1)).catch(() => {});
    await server.double.faults();
    expect(seen).toEqual([
      [18, 'AerospikeError'],
      [2, 'AerospikeError'],
      [14, 'AerospikeError'],
    ]);
  });
});

test('a write that times out stays in doubt, a read does not', async () => {
  await using subject = await filled({});
  await server.double.faults({ hang: true });
  const { client, key } = subject;
  const put = await client.put(key(1), { n: 2 }, {}, { totalTimeout: 60 }).catch((error: unknown) => error);
  const get = await client.get(key(1), { totalTimeout: 60 }).catch((error: unknown) => error);
  await server.double.faults();
  expect([put, get]).toMatchObject([
    { code: 9, inDoubt: true },
    { code: 9, inDoubt: false },
  ]);
});
