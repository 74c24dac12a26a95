import { setTimeout as sleep } from 'node:timers/promises';
import { BackpressureError } from 'floodgate';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aerospikeDouble } from '../support/servers/aerospike/start-aerospike.js';
import { bareClient, limitedClient } from './client-under-test.js';

/** These tests need the test double, whose speed can be set. */
let server: Awaited<ReturnType<typeof aerospikeDouble>>;

beforeAll(async () => {
  server = await aerospikeDouble();
});
afterEach(() => server.double.faults());
afterAll(() => server?.close());

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const codeOf = (error: { code?: unknown }) => error.code;

describe('1,000 gets at once at limit 50', () => {
  test('are 50 admitted and 950 rejected, each at once, and -7 is never seen', async () => {
    await using subject = await limitedClient(server.hosts, { maxConcurrentOps: 50 });
    const { client, key } = subject;
    await client.put(key(1), { n: 1 });
    // Long enough for the last of them to come while the first is being worked on, on a busy machine too.
    await server.double.faults({ on: 'read', delayMs: 500 });
    await server.double.resetCounts();
    const callMs: number[] = [];
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => {
        const startedAt = performance.now();
        const answer = client.get(key(1)).then(
          () => 'served',
          (error) => (error instanceof BackpressureError ? 'rejected' : codeOf(error)),
        );
        callMs.push(performance.now() - startedAt);
        return answer;
      }),
    );
    const count = (answer: unknown) => answers.filter((each) => each === answer).length;
    expect([count('served'), count('rejected'), count(-7)]).toEqual([50, 950, 0]);
    // The first 50 open connections; what comes after them is rejected.
    expect(median(callMs.slice(50))).toBeLessThan(2);
    const { commands, peakInFlight } = await server.double.counts();
    expect([commands.read, peakInFlight]).toEqual([50, 50]);
    expect(client.limiter.stats()).toMatchObject({ inFlight: 0, peakInFlight: 50, rejected: 950 });
  });

  test('one after another past the limit, each takes less than 2 ms', async () => {
    await using subject = await limitedClient(server.hosts, { maxConcurrentOps: 50 });
    const { client, key } = subject;
    await server.double.faults({ on: 'read', delayMs: 1_000 });
    const held = Array.from({ length: 50 }, () => client.get(key(1)).catch(codeOf));
    const tookMs: number[] = [];
    for (let i = 0; i < 950; i++) {
      const startedAt = performance.now();
      await expect(client.get(key(1))).rejects.toBeInstanceOf(BackpressureError);
      tookMs.push(performance.now() - startedAt);
    }
    expect(median(tookMs)).toBeLessThan(2);
    await Promise.all(held);
  });
});

test('aerospike-client-nodejs#130: 200 gets at maxConnsPerNode 10 meet -7 bare, never when limited', async () => {
  await server.double.faults({ on: 'read', delayMs: 30 });
  const codes = async (get: () => Promise<unknown>) => {
    const answers = await Promise.allSettled(Array.from({ length: 200 }, get));
    return new Set(answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 0)));
  };
  await using bare = await bareClient(server.hosts, { maxConnsPerNode: 10 });
  await using limited = await limitedClient(server.hosts, {}, { maxConnsPerNode: 10 });
  await bare.client.put(bare.key(1), { n: 1 });
  await limited.client.put(limited.key(1), { n: 1 });
  expect(await codes(() => bare.client.get(bare.key(1)))).toEqual(new Set([0, -7]));
  expect(await codes(() => limited.client.get(limited.key(1)))).toEqual(new Set([0, 'ERR_BACKPRESSURE']));
  expect(limited.client.limiter.limit).toBe(10);
});

test('timeouts whose connections the client still holds are answered for by rejections, not by -7', async () => {
  await using subject = await limitedClient(server.hosts, {}, { maxConnsPerNode: 10 });
  const { client, key } = subject;
  await client.put(key(1), { n: 1 });
  await server.double.faults({ on: 'read', hang: true });
  const gets = () => Promise.all(Array.from({ length: 10 }, () => client.get(key(1)).then(() => 0, codeOf)));
  const timedOut = await Promise.all(
    Array.from({ length: 10 }, () => client.get(key(1), { totalTimeout: 60 }).then(() => 0, codeOf)),
  );
  expect(new Set(timedOut)).toEqual(new Set([9]));
  expect(client.limiter.inFlight).toBe(0);
  await server.double.faults();
  const error = await client.get(key(1)).catch((each: unknown) => each);
  expect(error).toMatchObject({ code: 'ERR_BACKPRESSURE', reason: 'limit', limit: 10, inFlight: 10 });
  // The client gives the connections up after 3 s.
  await sleep(3_300);
  expect(new Set(await gets())).toEqual(new Set([0]));
});

test("ADR-0006's example: catch the BackpressureError, wait 10 ms, try again", async () => {
  await using subject = await limitedClient(server.hosts, { maxConcurrentOps: 10 });
  const { client, key } = subject;
  await client.put(key('user'), { name: 'x' });
  await server.double.faults({ on: 'read', delayMs: 5 });
  let waits = 0;
  async function getUser(): Promise<unknown> {
    for (;;) {
      try {
        return (await client.get(key('user'))).bins;
      } catch (error) {
        if (!(error instanceof BackpressureError)) throw error;
        waits++;
        await sleep(10);
      }
    }
  }
  const users = await Promise.all(Array.from({ length: 100 }, getUser));
  expect(users).toEqual(Array.from({ length: 100 }, () => ({ name: 'x' })));
  expect(waits).toBeGreaterThan(90);
  expect(client.limiter.stats()).toMatchObject({ inFlight: 0, peakInFlight: 10, succeeded: 101 });
});
