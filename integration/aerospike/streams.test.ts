import { once } from 'node:events';
import { BackpressureError } from 'floodgate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AerospikeServer, startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { type ClientUnderTest, limitedClient } from './client-under-test.js';

/** Every test of this file runs on any server. */
let server: AerospikeServer;
let subject: ClientUnderTest;

beforeAll(async () => {
  server = await startAerospike();
  subject = await limitedClient(server.hosts, { maxConcurrentOps: 5, bulkheads: { scan: 2 } });
  for (let i = 0; i < 200; i++) await subject.client.put(subject.key(i), { n: i });
});
afterAll(async () => {
  await subject?.client.truncate('test', subject.set, 0);
  await subject?.[Symbol.asyncDispose]();
  await server?.close();
});

const settled = () =>
  vi.waitFor(() => expect(subject.client.limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }), 2_000);

describe.each(['query', 'scan'] as const)('a %s', (kind) => {
  const build = (options = {}) => {
    const { client, set } = subject;
    return kind === 'query' ? client.query('test', set, options) : client.scan('test', set, options);
  };

  test('gives every record once, under one permit', async () => {
    const seen: unknown[] = [];
    const stream = build().foreach();
    expect(subject.client.limiter.inFlight).toBe(1);
    stream.on('data', ({ bins }) => seen.push(bins.n));
    await once(stream, 'end');
    expect(seen.sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 200 }, (_, i) => i));
    await settled();
  });

  test('that is aborted frees its permit, and is ignored', async () => {
    const before = subject.client.limiter.stats();
    const stream = build().foreach();
    let seen = 0;
    stream.on('data', () => {
      if (++seen === 3) stream.abort();
    });
    await once(stream, 'end');
    await settled();
    expect(seen).toBeLessThan(200);
    const { admitted, ignored } = subject.client.limiter.stats();
    expect([admitted - before.admitted, ignored - before.ignored]).toEqual([1, 1]);
  });

  test('that is aborted at once frees its permit', async () => {
    const stream = build().foreach();
    stream.abort();
    await once(stream, 'end');
    await settled();
  });

  test('whose listener throws frees its permit', async () => {
    const stream = build().foreach();
    const thrown = new Promise((resolve) => {
      const listeners = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.once('uncaughtException', (error) => {
        for (const listener of listeners) process.on('uncaughtException', listener);
        resolve(error.message);
      });
    });
    stream.on('end', () => {
      throw new Error('a listener of the user');
    });
    stream.on('data', () => {});
    expect(await thrown).toBe('a listener of the user');
    await settled();
  });

  test('in pages takes a permit for each, and a page that is refused is read later', async () => {
    const { limiter } = subject.client;
    const pages = build({ paginate: true, maxRecords: 60 });
    const sizes: number[] = [];
    do {
      const permits = Array.from({ length: 5 }, () => limiter.acquire());
      await expect(pages.results({ maxRecords: 60 } as never)).rejects.toBeInstanceOf(BackpressureError);
      for (const permit of permits) permit.release('ignored');
      sizes.push((await pages.results({ maxRecords: 60 } as never)).length);
      await settled();
    } while (pages.hasNextPage());
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(200);
    expect(sizes.length).toBeGreaterThanOrEqual(4);
  });

  test('at the limit gets the error as its stream’s own event, on a later tick', async () => {
    const { limiter } = subject.client;
    const permits = Array.from({ length: 5 }, () => limiter.acquire());
    const stream = build().foreach();
    const events: string[] = [];
    stream.on('end', () => events.push('end'));
    const [error] = await once(stream, 'error').then(
      (values) => values,
      (reason) => [reason],
    );
    expect(error).toBeInstanceOf(BackpressureError);
    for (const permit of permits) permit.release('ignored');
    expect(events).toEqual([]);
  });
});

test('scans have a share of their own, and leave the rest to others', async () => {
  const { client, set, key } = subject;
  const scans = Array.from({ length: 4 }, () => client.scan('test', set).results());
  const gets = Array.from({ length: 3 }, () => client.get(key(1)));
  const answers = await Promise.allSettled([...scans, ...gets]);
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect((answers[2] as PromiseRejectedResult).reason).toMatchObject({
    reason: 'bulkhead',
    operation: 'scan',
  });
  await settled();
});

test('the permit of an operation can be used by whoever is told of its end', async () => {
  await using one = await limitedClient(server.hosts, { maxConcurrentOps: 1 });
  await one.client.put(one.key(1), { n: 1 });
  const inner = new Promise((resolve, reject) => {
    one.client.get(one.key(1), (error) => {
      if (error) reject(error);
      else resolve(one.client.get(one.key(1)));
    });
  });
  await expect(inner).resolves.toMatchObject({ bins: { n: 1 } });
  const stream = one.client.scan('test', one.set).foreach();
  stream.on('data', () => {});
  await once(stream, 'end');
  await expect(one.client.get(one.key(1))).resolves.toMatchObject({ bins: { n: 1 } });
});
