import type { LimiterStats } from 'floodgate';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aerospikeDouble, type Fault } from '../support/servers/aerospike/start-aerospike.js';
import { batchForms, type Form, fill, jobForms, recordForms, type Style, streamForms } from './call-forms.js';
import { type ClientUnderTest, limitedClient } from './client-under-test.js';
import { expectSettled } from './settled-accounts.js';

/** These tests need the test double, which makes errors on demand; no real server does. */
let server: Awaited<ReturnType<typeof aerospikeDouble>>;
let subject: ClientUnderTest;
let before: LimiterStats;

beforeAll(async () => {
  server = await aerospikeDouble();
  // Connections of commands that have timed out stay taken for 3 s.
  subject = await limitedClient(server.hosts, { maxConcurrentOps: 5 }, { maxConnsPerNode: 500 });
  await fill(subject);
});
beforeEach(() => {
  before = subject.client.limiter.stats();
});
afterEach(() => server.double.faults());
afterAll(async () => {
  await subject?.[Symbol.asyncDispose]();
  await server?.close();
});

const forms = [...recordForms, ...batchForms, ...streamForms, ...jobForms];
const inStyles = (some: readonly Form[]) =>
  some.flatMap((form) => form.styles.map((style) => [form.name, style, form] as [string, Style, Form]));

/** Runs a form under a fault of every command of its kind, and returns the code it is told. */
async function codeUnder(fault: Fault, form: Form, style: Style, totalTimeout?: number): Promise<unknown> {
  await server.double.faults(fault);
  const code = await form.run(subject, style, totalTimeout === undefined ? {} : { totalTimeout }).then(
    () => 'no error',
    (error: { code?: unknown }) => error.code,
  );
  await server.double.faults();
  return code;
}

describe.each(inStyles(forms))('%s, %s', (_, style, form) => {
  test.each([
    [18, 'DEVICE_OVERLOAD'],
    [9, 'TIMEOUT'],
    [14, 'RECORD_BUSY'],
    [8, 'SERVER_FULL'],
  ])('that the server answers with %i (%s) is one overload', async (result) => {
    // A sync batch and a job wait a while before they try again; a short time is enough for both.
    expect(await codeUnder({ result }, form, style, 150)).toBe(result);
    await expectSettled(subject, before, { overloaded: 1 });
  });

  test('that the server answers with 4 (REQUEST_INVALID) is one failure', async () => {
    expect(await codeUnder({ result: 4 }, form, style)).toBe(4);
    await expectSettled(subject, before, { failed: 1 });
  });

  test('whose connection is lost is one overload', async () => {
    const code = await codeUnder({ drop: true }, form, style, 150);
    expect(['-6', '-10', '9', '-1', '-12', '-16']).toContain(String(code));
    await expectSettled(subject, before, { overloaded: 1 });
  });
});

describe.each(inStyles([...recordForms, ...batchForms, ...streamForms]))('%s, %s', (_, style, form) => {
  test('that is not answered in time is one overload', async () => {
    expect(await codeUnder({ hang: true }, form, style, 60)).toBe(9);
    await expectSettled(subject, before, { overloaded: 1 });
  });
});

test('nothing was asked of the test double that it does not implement', async () => {
  expect((await server.double.counts()).refusals).toEqual([]);
});
