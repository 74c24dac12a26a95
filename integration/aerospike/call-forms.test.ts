import { BackpressureError, type LimiterStats } from 'floodgate';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AerospikeServer, startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import {
  adminForms,
  batchForms,
  cleanUp,
  type Form,
  fill,
  infoForms,
  jobForms,
  recordForms,
  type Style,
  streamForms,
} from './call-forms.js';
import { Aerospike, type ClientUnderTest, limitedClient } from './client-under-test.js';
import { expectSettled } from './settled-accounts.js';

/** Every test of this file runs on any server. */
let server: AerospikeServer;
let subject: ClientUnderTest;
let before: LimiterStats;

beforeAll(async () => {
  server = await startAerospike();
  console.log(`Aerospike: ${server.version} (${server.way}), ready in ${server.startedInMs} ms`);
  subject = await limitedClient(server.hosts, { maxConcurrentOps: 5 });
});
beforeEach(async () => {
  await fill(subject);
  before = subject.client.limiter.stats();
});
afterAll(async () => {
  if (subject) await cleanUp(subject);
  await subject?.[Symbol.asyncDispose]();
  await server?.close();
});

const forms = [...recordForms, ...batchForms, ...streamForms, ...jobForms, ...adminForms];
const inStyles = (some: readonly Form[]) =>
  some.flatMap((form) => form.styles.map((style) => [form.name, style, form] as [string, Style, Form]));

describe.each(inStyles([...forms, ...infoForms]))('%s, %s', (name, style, form) => {
  test('is answered, and counted in its class', async () => {
    await form.run(subject, style).catch((error: { code?: unknown }) => {
      // There is no index to be removed; some versions say so, others do not mind.
      if (name !== 'indexRemove') throw error;
      expect(error.code).toBe(201);
    });
    const failed = subject.client.limiter.stats().failed - before.failed;
    await expectSettled(subject, before, { succeeded: 1 - failed, failed });
    const classes = subject.client.limiter.stats().classes;
    const counted = classes[form.operationClass]!.admitted;
    expect(counted - (before.classes[form.operationClass]?.admitted ?? 0)).toBeGreaterThanOrEqual(1);
  });
});

describe.each(inStyles(forms))('%s, %s', (_, style, form) => {
  test('at the limit is rejected at once, as an AerospikeError too', async () => {
    const permits = Array.from({ length: 5 }, () => subject.client.limiter.acquire());
    const rejection = await form.run(subject, style).catch((error: unknown) => error);
    for (const permit of permits) permit.release('ignored');
    expect(rejection).toBeInstanceOf(BackpressureError);
    expect(rejection).toBeInstanceOf(Aerospike.AerospikeError);
    expect(rejection).toMatchObject({
      code: 'ERR_BACKPRESSURE',
      reason: 'limit',
      limiter: 'aerospike',
      limit: 5,
      inFlight: 5,
      inDoubt: false,
    });
    expect(subject.client.limiter.stats().classes[form.operationClass]!.rejected).toBeGreaterThanOrEqual(1);
    await expectSettled(subject, before, { ignored: 5 });
  });
});

describe.each(inStyles(infoForms))('%s, %s', (_, style, form) => {
  test('at the limit, and while draining, is answered all the same', async () => {
    await using other = await limitedClient(server.hosts, { maxConcurrentOps: 1 });
    const { limiter } = other.client;
    const permit = limiter.acquire();
    const draining = limiter.drain();
    await form.run(other, style);
    permit.release();
    await draining;
    await form.run(other, style);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, rejected: 0, succeeded: 3 });
  });
});

describe.each(inStyles([...recordForms, ...batchForms, ...streamForms]))('%s, %s', (name, style, form) => {
  test('on a record that is not there is an answer, not a failure', async () => {
    const answer = await form.run(subject, style, { missing: true }).then(
      () => 'a value',
      (error: { code?: unknown }) => error.code,
    );
    const found = ['get', 'select', 'remove'].includes(name) ? 2 : 'a value';
    expect(answer).toBe(found);
    await expectSettled(subject, before, { succeeded: 1 });
  });
});

describe.each(inStyles(recordForms))('%s, %s', (_, style, form) => {
  test('with a bad key fails as the bare client does, and loses no permit', async () => {
    const broken = { ...subject, key: () => null as never };
    const attempt = async () => form.run(broken, style);
    await expect(attempt()).rejects.toThrow(TypeError);
    expect(subject.client.limiter.stats()).toMatchObject({ inFlight: 0, running: 0 });
    await expectSettled(subject, before, { ignored: 1 });
  });
});
