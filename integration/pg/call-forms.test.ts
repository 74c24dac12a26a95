import { BackpressureError } from 'floodgate';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { forms } from './call-forms.js';
import { heard, LOST_CONNECTION } from './call-results.js';
import { expectPermitsToMatchClients, expectSettled } from './settled-accounts.js';
import { clearMarks, manyRows, marking, marksLeft, prepareTables, rows, sleeping, sqlError } from './work.js';

const { url } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await prepareTables(operator);
});
afterAll(() => operator[Symbol.asyncDispose]());

const byName = forms.map((form) => [form.name, form] as const);

describe.each(byName)('%s', (_, form) => {
  test('gives its rows and one success', async () => {
    await using subject = await form.open(url, { maxConcurrentOps: 1 });
    expect(await subject.run(rows)).toBe(3);
    const { classes } = await expectSettled(subject, { succeeded: 1 });
    expect(classes[form.operationClass]?.succeeded).toBe(1);
  });

  test('that fails at the server gives the error and one failure', async () => {
    await using subject = await form.open(url, { maxConcurrentOps: 1 });
    await expect(subject.run(sqlError)).rejects.toMatchObject({ code: expect.stringMatching(/^22/) });
    await expectSettled(subject, { failed: 1 });
  });

  test('is rejected at the limit, before the server hears of it', async () => {
    await using subject = await form.open(url, { maxConcurrentOps: 1 });
    await clearMarks(operator);
    const permit = subject.limiter.acquire();
    const rejection = await subject.run(marking).catch((error: unknown) => error);
    permit.release('ignored');
    expect(rejection).toBeInstanceOf(BackpressureError);
    expect(rejection).toMatchObject({ reason: 'limit', limit: 1, inFlight: 1 });
    expect(subject.pool?.totalCount ?? 0).toBe(0);
    expect(await marksLeft(operator)).toBe(0);
    const { rejected, rejectedByReason } = await expectSettled(subject, { ignored: 1 });
    expect([rejected, rejectedByReason]).toEqual([1, { limit: 1 }]);
  });

  test('whose backend is killed is one overload', async () => {
    await using subject = await form.open(url, { maxConcurrentOps: 3 });
    const call = subject.run(sleeping(30));
    call.catch(() => {});
    await operator.untilAt(subject.name, 'PgSleep');
    expect(subject.limiter.inFlight).toBe(1);
    expectPermitsToMatchClients(subject);
    await operator.terminate(subject.name);
    await expectSettled(subject, { overloaded: 1 });
    expect(await heard(call)).toMatch(form.body.hears?.lostConnection ?? LOST_CONNECTION);
  });

  test('past the statement_timeout is one overload', async () => {
    await using subject = await form.open(url, { maxConcurrentOps: 1 }, { statement_timeout: 60 });
    await expect(subject.run(sleeping(30))).rejects.toMatchObject({ code: '57014' });
    await expectSettled(subject, { overloaded: 1 });
  });

  test('past the query_timeout is one overload, and keeps its permit while the server runs it', async () => {
    await using subject = await form.open(url, { maxConcurrentOps: 1 }, { query_timeout: 100 });
    const call = subject.run(sleeping(0.6));
    call.catch(() => {});
    await operator.untilAt(subject.name, 'PgSleep');
    expect(subject.limiter.inFlight).toBe(1);
    await vi.waitFor(() => expect(subject.limiter.inFlight).toBe(0), { timeout: 5_000, interval: 5 });
    await operator.untilStopped(subject.name);
    await expectSettled(subject, { overloaded: 1 });
    expect(await heard(call)).toMatch(form.body.hears?.queryTimeout ?? /^Query read timeout$/);
  });
});

describe.each(byName.filter(([, { body }]) => body.leaveEarly !== undefined))('%s', (_, form) => {
  test('that is left early gives its permit back', async () => {
    await using subject = await form.open(url, { maxConcurrentOps: 1 });
    expect(await subject.leaveEarly(manyRows)).toBe(1);
    await expectSettled(subject, { [form.body.leftEarly!]: 1 });
  });
});
