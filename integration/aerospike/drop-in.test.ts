import { inspect } from 'node:util';
import { BackpressureError, isBackpressureError } from 'floodgate';
import { LimitedAerospike } from 'floodgate/aerospike';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AerospikeServer, startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { Aerospike, limitedClient, underTest } from './client-under-test.js';

/** Every test of this file runs on any server. */
let server: AerospikeServer;

beforeAll(async () => {
  server = await startAerospike();
});
afterAll(() => server?.close());

const quiet = { log: { level: Aerospike.log.OFF } };

describe('a limited client', () => {
  test('is the client itself, and looks like it', () => {
    const bare = Aerospike.client({ ...quiet, hosts: server.hosts });
    const keys = Object.keys(bare);
    const shown = inspect(bare);
    const limited = new LimitedAerospike(bare, { maxConcurrentOps: 5 });
    expect(limited).toBe(bare);
    expect(limited).toBeInstanceOf(Aerospike.Client);
    expect(limited).toBeInstanceOf(LimitedAerospike);
    expect(limited.constructor.name).toBe('Client');
    expect(Object.keys(limited)).toEqual(keys);
    expect(inspect(limited)).toBe(shown);
    const found: string[] = [];
    for (const key in limited) found.push(key);
    expect(found.filter((key) => ['limiter', 'asExec', 'close', 'connect'].includes(key))).toEqual(
      // Those of the prototype, which the client itself has made enumerable.
      ['asExec', 'close', 'connect'].filter((key) => found.includes(key)),
    );
    expect(Object.hasOwn(Aerospike.Client.prototype, 'limiter')).toBe(false);
    expect(Aerospike.client({ ...quiet, hosts: server.hosts })).not.toBeInstanceOf(LimitedAerospike);
  });

  test('that is limited again is the same, and by another limiter an error', () => {
    const client = new LimitedAerospike(Aerospike.Client, {}, { ...quiet, hosts: server.hosts });
    const { limiter } = client;
    expect(new LimitedAerospike(client).limiter).toBe(limiter);
    expect(new LimitedAerospike(client, { limiter }).limiter).toBe(limiter);
    expect(() => new LimitedAerospike(client, { maxConcurrentOps: 7 })).toThrow(
      'floodgate: maxConcurrentOps must be the same for a client that is wrapped already (by LimitedAerospike), got 7 (number)',
    );
  });

  test('of one that is connected already limits what comes then', async () => {
    const client = await Aerospike.connect({ ...quiet, hosts: server.hosts });
    await using subject = await underTest(
      new LimitedAerospike(client, { maxConcurrentOps: 1 }),
      server.hosts,
    );
    const first = subject.client.put(subject.key(1), { n: 1 });
    await expect(subject.client.get(subject.key(1))).rejects.toBeInstanceOf(BackpressureError);
    await first;
  });

  test('shares a limiter with another', async () => {
    await using one = await limitedClient(server.hosts, { maxConcurrentOps: 1 });
    await using two = await limitedClient(server.hosts, { limiter: one.client.limiter });
    const put = one.client.put(one.key(1), { n: 1 });
    await expect(two.client.put(two.key(1), { n: 1 })).rejects.toMatchObject({ reason: 'limit' });
    await put;
    await two.client.put(two.key(1), { n: 1 });
  });

  test('tells what its connections do, at most once a second', async () => {
    const client = new LimitedAerospike(Aerospike.Client, {}, { ...quiet, hosts: server.hosts });
    expect(client.connectionStats()).toBe(undefined);
    await using subject = await underTest(client, server.hosts);
    await client.put(subject.key(1), { n: 1 });
    const first = client.connectionStats();
    const [node] = Object.values(first!.nodes);
    expect(node).toMatchObject({ inUse: 0, inPool: 1, opened: 1, closed: 0 });
    expect(client.connectionStats()).toBe(first);
    client.close();
    expect(client.connectionStats()).toBe(undefined);
  });
});

describe('a rejection', () => {
  test('is a BackpressureError and an AerospikeError, with the members of both', async () => {
    await using subject = await limitedClient(server.hosts, { maxConcurrentOps: 1 });
    const { client, key } = subject;
    const permit = client.limiter.acquire();
    const error = await client.get(key(1)).catch((each: unknown) => each);
    permit.release();
    expect(error).toBeInstanceOf(BackpressureError);
    expect(error).toBeInstanceOf(Aerospike.AerospikeError);
    expect(isBackpressureError(error)).toBe(true);
    const rejection = error as BackpressureError & InstanceType<typeof Aerospike.AerospikeError>;
    expect(rejection.name).toBe('BackpressureError');
    expect(rejection.message).toBe('aerospike: get rejected, every permit is taken (1 in flight, limit 1)');
    expect(rejection.stack).toBe(`BackpressureError: ${rejection.message}`);
    expect(rejection.retryAfterSeconds).toBe(1);
    expect(rejection.toJSON()).toEqual({
      name: 'BackpressureError',
      code: 'ERR_BACKPRESSURE',
      statusCode: 503,
      message: rejection.message,
      reason: 'limit',
      limiter: 'aerospike',
      operation: 'get',
      operationClass: 'read',
      limit: 1,
      inFlight: 1,
      weight: 1,
      retryAfterMs: 1000,
      retryAfterSeconds: 1,
    });
    const { command, func, file, line, inDoubt } = rejection;
    expect({ command, func, file, line, inDoubt }).toEqual({
      command: null,
      func: null,
      file: null,
      line: null,
      inDoubt: false,
    });
    expect([rejection.isServerError(), rejection.client]).toEqual([false, undefined]);
    expect(new Aerospike.AerospikeError('another')).not.toBeInstanceOf(BackpressureError);
  });

  test('that nobody handles is told to the process, as the client’s own are', async () => {
    await using subject = await limitedClient(server.hosts, { maxConcurrentOps: 1 });
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const told = new Promise((resolve) => process.once('unhandledRejection', resolve));
    const permit = subject.client.limiter.acquire();
    void subject.client.get(subject.key(1));
    expect(await told).toBeInstanceOf(BackpressureError);
    permit.release();
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });
});

describe('what finishes or observes work already admitted is not refused', () => {
  test('jobs are polled at a full gate', async () => {
    await using subject = await limitedClient(server.hosts, { maxConcurrentOps: 1 });
    const { client, set, key } = subject;
    await client.put(key(1), { n: 1 });
    const scan = await client.scan('test', set).operate([Aerospike.operations.write('job', 1)]);
    const index = await client.createIntegerIndex({ ns: 'test', set, bin: 'n', index: `ix${set}` });
    const permit = client.limiter.acquire();
    await scan.waitUntilDone(20);
    await index.waitUntilDone(20);
    permit.release();
    await client.indexRemove('test', `ix${set}`);
    expect(client.limiter.stats().rejected).toBe(0);
    expect((await client.get(key(1))).bins).toMatchObject({ job: 1 });
  });

  test('a transaction is aborted at a full gate', async () => {
    await using subject = await limitedClient(server.hosts, { maxConcurrentOps: 1 });
    const { client } = subject;
    const permit = client.limiter.acquire();
    const transaction = new Aerospike.Transaction();
    expect(await client.abort(transaction)).toBeTypeOf('number');
    permit.release();
    expect(client.limiter.stats()).toMatchObject({ rejected: 0, running: 0 });
    expect(client.limiter.stats().classes.transaction).toMatchObject({ admitted: 1 });
  });
});
