import { BackpressureError } from 'floodgate';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { forms } from './call-forms.js';
import { expectSettled, workOf } from './settled-accounts.js';
import { uniqueName } from './support/client-under-test.js';
import { type Operator, openOperator } from './support/operator.js';
import { sharedMysql } from './support/shared-server.js';
import { manyRows, marking, rows, sleeping, sqlError } from './work.js';

const url = await sharedMysql();
const database = uniqueName();
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
  await operator.createDatabase(database);
});
afterEach(() => operator.kill(database));
afterAll(() => operator[Symbol.asyncDispose]());

const byName = forms.map((form) => [form.name, form] as const);
const told = (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(byName)('%s', (_, form) => {
  const { permits } = form;

  test('gives its rows and one success', async () => {
    await using subject = await form.open(url, database, { maxConcurrentOps: 1 });
    expect(await subject.run(rows)).toBe(3);
    const { classes } = await expectSettled(subject, { succeeded: permits });
    expect(classes[form.operationClass]?.succeeded).toBe(permits);
  });

  test('that fails at the server gives the error and one failure', async () => {
    await using subject = await form.open(url, database, { maxConcurrentOps: 1 });
    await expect(subject.run(sqlError)).rejects.toMatchObject({ errno: 1242 });
    await expectSettled(subject, { succeeded: permits - 1, failed: 1 });
  });

  test('that cannot be prepared or parsed gives the error and one failure', async () => {
    await using subject = await form.open(url, database, { maxConcurrentOps: 1 });
    await expect(subject.run({ sql: 'select n from no_such_table' })).rejects.toMatchObject({ errno: 1146 });
    const prepared = form.name.endsWith('prepare, execute, close') ? 0 : permits - 1;
    await expectSettled(subject, { succeeded: prepared, failed: 1 });
  });

  test('is rejected at the limit, before the server hears of it', async () => {
    await using subject = await form.open(url, database, { maxConcurrentOps: 1 });
    await operator.execute(`truncate ${database}.marks`);
    const permit = subject.limiter.acquire();
    const rejection = await told(subject.run(marking));
    permit.release('ignored');
    expect(rejection).toBeInstanceOf(BackpressureError);
    expect(rejection).toMatchObject({ reason: 'limit', limit: 1, inFlight: 1 });
    if (subject.busy !== undefined) expect(await operator.connections(database)).toBe(0);
    expect(await operator.column(`select n from ${database}.marks`)).toEqual([]);
    const { rejected, rejectedByReason } = await expectSettled(subject, { ignored: 1 });
    expect([rejected, rejectedByReason]).toEqual([1, { limit: 1 }]);
  });

  test('whose connection is killed is one overload', async () => {
    await using subject = await form.open(url, database, { maxConcurrentOps: 3 });
    const answer = told(subject.run(sleeping(30)));
    await operator.untilRunning(database);
    expect(subject.limiter.inFlight).toBe(1);
    if (subject.busy !== undefined) expect(subject.busy()).toBe(1);
    await operator.kill(database);
    // Nobody is told of the end of events and streams, by bare mysql2 neither.
    if (!form.events) expect(await answer).toMatchObject({ code: 'PROTOCOL_CONNECTION_LOST' });
    await expectSettled(subject, { succeeded: permits - 1, overloaded: 1 });
  });

  test('whose statement is killed has an outcome that says nothing', async () => {
    await using subject = await form.open(url, database, { maxConcurrentOps: 1 });
    const answer = told(subject.run(sleeping(30)));
    await operator.untilRunning(database);
    await operator.killQueries(database);
    expect(await answer).toMatchObject({ errno: 1317 });
    // Of a transaction, the rest went well.
    const { succeeded, ignored } = await subjectWork(subject);
    expect(succeeded + ignored).toBe(permits);
    await expectSettled(subject, { succeeded, ignored });
  });
});

async function subjectWork(subject: Parameters<typeof expectSettled>[0]) {
  await expect.poll(() => subject.limiter.inFlight).toBe(0);
  return workOf(subject.limiter);
}

describe.each(byName.filter(([, form]) => form.timed))('%s', (_, { permits, open }) => {
  test('past its timeout is one overload, and keeps its permit while the server runs it', async () => {
    await using subject = await open(url, database, { maxConcurrentOps: 1 });
    const error = await told(subject.run(sleeping(0.25, 60)));
    expect(error).toMatchObject({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
    // A transaction rolls back, behind the statement.
    if (subject.limiter.inFlight === 0) expect(await operator.running(database)).toBe(0);
    else expect(subject.limiter.inFlight).toBe(1);
    await expectSettled(subject, { succeeded: permits - 1, overloaded: 1 });
    expect(await operator.running(database)).toBe(0);
  });

  test("past its timeout, with abandonedStatements: 'cancel', is ended at the server too", async () => {
    const options = { maxConcurrentOps: 1, abandonedStatements: 'cancel' } as const;
    await using subject = await open(url, database, options);
    const error = await told(subject.run(sleeping(30, 60)));
    expect(error).toMatchObject({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
    await expectSettled(subject, { succeeded: permits - 1, overloaded: 1 });
    expect(await operator.running(database)).toBe(0);
  });
});

describe.each(byName.filter(([, form]) => form.leavesEarly))('%s', (_, form) => {
  test('that is left early gives its permit back', async () => {
    await using subject = await form.open(url, database, { maxConcurrentOps: 1 });
    expect(await subject.leaveEarly(manyRows)).toBe(1);
    await expectSettled(subject, { succeeded: 1 });
  });
});
