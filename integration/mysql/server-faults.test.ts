import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startFaultProxy, throughProxy } from '../support/fault-proxy.js';
import { type MysqlServer, startMysql } from '../support/servers/mysql/start-mysql.js';
import { someForms } from './call-forms.js';
import { expectSettled, workOf } from './settled-accounts.js';
import { uniqueName } from './support/client-under-test.js';
import { openOperator } from './support/operator.js';
import { sleeping } from './work.js';

let server: MysqlServer;
const database = uniqueName();

beforeAll(async () => {
  server = await startMysql({ dedicated: true });
  await using operator = await openOperator(server.url);
  await operator.createDatabase(database);
});
afterAll(() => server.close());

const byName = someForms.map((form) => [form.name, form] as const);
const told = (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(byName)('%s', (_, form) => {
  test.each(['fast', 'immediate'] as const)('whose server is stopped (%s) is one overload', async (mode) => {
    await using subject = await form.open(server.url, database, { maxConcurrentOps: 3 });
    const answer = told(subject.run(sleeping(30)));
    {
      await using operator = await openOperator(server.url);
      await operator.untilRunning(database);
    }
    await server.stop(mode);
    if (!form.events) expect(await answer).toBeInstanceOf(Error);
    await vi.waitFor(() => expect(subject.limiter.inFlight).toBe(0));
    // What comes while it is down fails, and takes nothing with it.
    await told(subject.serve());
    await vi.waitFor(() => expect(subject.limiter.inFlight).toBe(0));
    await server.start();
    const { overloaded, succeeded } = workOf(subject.limiter);
    // Of a standalone connection that can't be opened, the permit is that of connecting.
    const opened = subject.limiter.stats().classes.connection?.overloaded ?? 0;
    expect([overloaded, opened, succeeded]).toEqual(subject.busy === undefined ? [1, 1, 0] : [2, 0, 0]);
    await expectSettled(subject, { overloaded });
  });
});

// One of each kind: it takes the five seconds that a server has to answer.
const unreachable = byName.filter(([name]) =>
  ['pool: query(options, callback)', 'standalone connection: query(options, callback)'].includes(name),
);

describe.each(unreachable)('%s', (_, form) => {
  test('whose server cannot be reached any more is given up on after abandonedTimeoutMs', async () => {
    await using proxy = await startFaultProxy(server);
    const options = { maxConcurrentOps: 1, abandonedTimeoutMs: 50 };
    await using subject = await form.open(throughProxy(server.url, proxy), database, options);
    const answer = told(subject.run(sleeping(1, 150)));
    await sleep(100);
    proxy.pause();
    expect(await answer).toMatchObject({ code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
    expect(subject.limiter.inFlight).toBe(1);
    await vi.waitFor(() => expect(subject.limiter.inFlight).toBe(0), { timeout: 8_000 });
    expect(subject.limiter.stats().overloaded).toBe(1);
    proxy.resume();
    await expectSettled(subject, { overloaded: 1 });
  });
});
