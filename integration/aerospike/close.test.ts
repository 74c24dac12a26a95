import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LimitedAerospike } from 'floodgate/aerospike';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aerospikeDouble } from '../support/servers/aerospike/start-aerospike.js';
import { Aerospike, bareClient, limitedClient } from './client-under-test.js';

/** These tests need the test double, which answers late enough for commands to be in flight. */
let server: Awaited<ReturnType<typeof aerospikeDouble>>;

beforeAll(async () => {
  server = await aerospikeDouble();
  await server.double.faults(
    { on: 'read', delayMs: 20 },
    { on: 'batch', delayMs: 20 },
    { on: 'query', delayMs: 20 },
  );
});
afterAll(() => server?.close());

const run = promisify(execFile);
const script = fileURLToPath(new URL('close-in-flight.js', import.meta.url));
/** Children run no TypeScript: they take the built package. */
const wrapper = new URL('../../dist/clients/aerospike/index.js', import.meta.url);

async function closeInFlight(kind: string, ...how: string[]): Promise<unknown> {
  if (!existsSync(wrapper)) throw new Error('the package is not built: npm run build');
  // Rejects with the signal if the process crashes, and after the time if a call is never answered.
  const { stdout } = await run(process.execPath, [script, wrapper.href, server.hosts, kind, ...how], {
    timeout: 20_000,
  });
  return JSON.parse(stdout);
}

const kinds = ['get', 'put', 'batchRead', 'batchGet', 'query', 'scan'];
const WELL = { served: 20, late: 'Not connected.', inFlight: 0, running: 0, connected: false };

describe.each(kinds)('close() with 20 commands of kind %s in flight', (kind) => {
  test('answers all of them and crashes in none of 6 processes', async () => {
    const answers: unknown[] = [];
    for (let pair = 0; pair < 3; pair++) {
      answers.push(...(await Promise.all([closeInFlight(kind), closeInFlight(kind)])));
    }
    expect(answers).toEqual(Array.from({ length: 6 }, () => WELL));
  });
});

test('drain() and then close() answers all and crashes in none of 6 processes', async () => {
  const answers = await Promise.all(kinds.map((kind) => closeInFlight(kind, 'drain')));
  expect(answers).toEqual(kinds.map(() => WELL));
});

describe('close()', () => {
  test('returns nothing and disconnects at once, as the client’s own does', async () => {
    const limited = await limitedClient(server.hosts);
    const bare = await bareClient(server.hosts);
    for (const { client } of [limited, bare]) {
      expect(client.isConnected()).toBe(true);
      expect(client.close()).toBe(undefined);
      expect(client.isConnected()).toBe(false);
      await expect(client.get(limited.key(1))).rejects.toThrow('Not connected.');
      expect(() => client.query('test', 's')).toThrow('Not connected.');
      expect(client.close()).toBe(undefined);
    }
  });

  test('lets a scan that is under way give all its records', async () => {
    const { client, set, key } = await limitedClient(server.hosts);
    for (let i = 0; i < 120; i++) await client.put(key(i), { n: i });
    await server.double.faults({ on: 'query', betweenMs: 50 });
    const scan = client.scan('test', set).results();
    client.close();
    expect(await scan).toHaveLength(120);
    await server.double.faults();
  });

  test('is taken back by connect() while commands are in flight', async () => {
    await server.double.faults({ on: 'read', delayMs: 50 });
    await using subject = await limitedClient(server.hosts);
    const { client, key } = subject;
    await client.put(key(1), { n: 1 });
    const get = client.get(key(1));
    client.close();
    expect(await client.connect()).toBe(client);
    expect((await get).bins).toEqual({ n: 1 });
    expect((await client.get(key(1))).bins).toEqual({ n: 1 });
    await server.double.faults();
  });
});

describe('connect(), where the bare client would crash the process,', () => {
  const GONE = /can't be connected again: make a new one/;

  test('is refused after close(), by promise and by callback', async () => {
    const { client } = await limitedClient(server.hosts);
    client.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const error = await client.connect().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(Aerospike.AerospikeError);
    expect(error).toMatchObject({ code: Aerospike.status.ERR_CLIENT, message: expect.stringMatching(GONE) });
    const told = await new Promise((resolve) => client.connect(resolve));
    expect(told).toBeInstanceOf(Aerospike.AerospikeError);
    await expect(client.connect()).rejects.toThrow(GONE);
    expect(client.isConnected()).toBe(false);
  });

  test('is refused after one that failed, and for one called meanwhile', async () => {
    const config = { hosts: '127.0.0.1:1', log: { level: Aerospike.log.OFF } };
    const client = new LimitedAerospike(Aerospike.Client, {}, config);
    const attempts = await Promise.allSettled([client.connect(), client.connect()]);
    expect(attempts.map((attempt) => (attempt as PromiseRejectedResult).reason.code)).toEqual([-10, -1]);
    await expect(client.connect()).rejects.toThrow(GONE);
    await expect(client.get(new Aerospike.Key('test', 's', 1) as never)).rejects.toThrow('Not connected.');
    expect(client.limiter.stats()).toMatchObject({ admitted: 0, rejected: 0 });
  });
});

test('drain() admits nothing more, lets what runs end, and tells why', async () => {
  await server.double.faults({ on: 'read', delayMs: 50 });
  await using subject = await limitedClient(server.hosts);
  const { client, key } = subject;
  await client.put(key(1), { n: 1 });
  const running = [client.get(key(1)), client.get(key(1))];
  const drained = client.limiter.drain();
  await expect(client.get(key(1))).rejects.toMatchObject({ reason: 'draining', operation: 'get' });
  await drained;
  expect(client.limiter.stats()).toMatchObject({ state: 'drained', inFlight: 0, running: 0, succeeded: 3 });
  expect(await Promise.all(running)).toHaveLength(2);
});
