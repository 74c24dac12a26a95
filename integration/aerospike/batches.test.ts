import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AerospikeServer, startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { type ClientUnderTest, limitedClient } from './client-under-test.js';

/** Every test of this file runs on any server. */
let server: AerospikeServer;

beforeAll(async () => {
  server = await startAerospike();
});
afterAll(() => server?.close());

async function filled(options: Parameters<typeof limitedClient>[1]): Promise<ClientUnderTest> {
  const subject = await limitedClient(server.hosts, options);
  for (let i = 0; i < 10; i++) await subject.client.put(subject.key(i), { n: i });
  return subject;
}
const keys = ({ key }: ClientUnderTest, count: number) => Array.from({ length: count }, (_, i) => key(i));
const read = (subject: ClientUnderTest, count: number) =>
  subject.client.batchRead(keys(subject, count).map((key) => ({ key, readAllBins: true })));

describe('a batch takes', () => {
  test('one permit, however many keys it has', async () => {
    await using subject = await filled({ maxConcurrentOps: 3 });
    const batches = [read(subject, 10), subject.client.batchGet(keys(subject, 10))];
    expect(subject.client.limiter.inFlight).toBe(2);
    await Promise.all(batches);
    expect(subject.client.limiter.inFlight).toBe(0);
  });

  test('as many as batchWeight says, clamped to the limit, so that it can ever run', async () => {
    const weights: number[] = [];
    await using subject = await filled({
      maxConcurrentOps: 5,
      batchWeight(count) {
        weights.push(count);
        return count;
      },
    });
    const { client } = subject;
    const small = read(subject, 2);
    expect(client.limiter.inFlight).toBe(2);
    await expect(client.batchExists(keys(subject, 4))).rejects.toMatchObject({
      reason: 'limit',
      operation: 'batchExists',
    });
    await small;
    const large = read(subject, 10);
    expect(client.limiter.inFlight).toBe(5);
    await expect(client.get(subject.key(1))).rejects.toMatchObject({ reason: 'limit' });
    expect(await large).toHaveLength(10);
    expect(client.limiter.inFlight).toBe(0);
    expect(weights).toEqual([2, 4, 10]);
  });

  test('as many as its bulkhead has at most', async () => {
    await using subject = await filled({
      maxConcurrentOps: 10,
      bulkheads: { batch: 4 },
      batchWeight: (count) => count,
    });
    const large = read(subject, 10);
    expect(subject.client.limiter.inFlight).toBe(4);
    await expect(read(subject, 1)).rejects.toMatchObject({ reason: 'bulkhead' });
    await large;
  });
});
