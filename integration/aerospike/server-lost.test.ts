import { setTimeout as sleep } from 'node:timers/promises';
import { isBackpressureError } from 'floodgate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AerospikeServer, startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { batchForms, fill, recordForms, streamForms } from './call-forms.js';
import { type ClientUnderTest, limitedClient } from './client-under-test.js';

/** These tests stop and pause their server, so it is one of their own: a container, or the test double. */
let server: AerospikeServer;
let subject: ClientUnderTest;

beforeAll(async () => {
  server = await startAerospike({ dedicated: true });
  subject = await limitedClient(
    server.hosts,
    { maxConcurrentOps: 100 },
    { maxConnsPerNode: 300, tenderInterval: 250 },
  );
  await fill(subject);
});
afterAll(async () => {
  await subject?.[Symbol.asyncDispose]();
  await server?.close();
});

const forms = [...recordForms, ...batchForms, ...streamForms];
const calls = () =>
  forms.flatMap((form) => form.styles.map((style) => form.run(subject, style, { totalTimeout: 300 })));

/** Every call gets an answer, permits are back, and the client serves as soon as the server does. */
async function expectRecovery(promises: Promise<unknown>[]): Promise<PromiseSettledResult<unknown>[]> {
  const answers = await Promise.allSettled(promises);
  expect(subject.client.limiter.stats()).toMatchObject({ inFlight: 0, running: 0, doubleReleases: 0 });
  return answers;
}

const serves = () =>
  vi.waitFor(() => subject.client.put(subject.key('back'), { n: 1 }), { timeout: 15_000, interval: 50 });

describe('every form of call under way when its server', () => {
  test('is paused and resumed gets an answer, and no permit is lost', async () => {
    await server.pause();
    const under = calls();
    await sleep(50);
    expect(subject.client.limiter.inFlight).toBeGreaterThan(40);
    const answers = await expectRecovery(under);
    await server.resume();
    const overloaded = answers.filter(({ status }) => status === 'rejected').length;
    expect(overloaded).toBe(answers.length);
    await serves();
    expect(subject.client.limiter.inFlight).toBe(0);
  });

  test('goes away and comes back gets an answer, and no permit is lost', async () => {
    await fill(subject);
    await server.stop();
    const answers = await expectRecovery(calls());
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    const before = subject.client.limiter.stats();
    expect(before.overloaded).toBeGreaterThan(40);
    await sleep(1_000);
    // The client has lost its only node by now: it says so at once.
    await expectRecovery(calls());
    await server.start();
    await serves();
    expect(subject.client.limiter.inFlight).toBe(0);
    const after = await Promise.allSettled(recordForms.map((form) => form.run(subject, 'promise')));
    expect(after.some(({ status, ...rest }) => status === 'rejected' && isBackpressureError(rest))).toBe(
      false,
    );
    expect(subject.client.limiter.stats()).toMatchObject({ inFlight: 0, running: 0, doubleReleases: 0 });
  });
});
