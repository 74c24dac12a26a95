import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOperator, until } from '../support/faults.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres/start-postgres.js';
import { forms, type Subject } from './call-forms.js';
import { heard, LOST_CONNECTION } from './call-results.js';
import { expectPermitsToMatchClients, expectSettled } from './settled-accounts.js';
import { prepareTables, sleeping } from './work.js';

/** All forms are under way when one server stops, since a stop and a start take seconds. */
const underWay = new Map<string, { readonly subject: Subject; readonly call: Promise<number> }>();
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres({ dedicated: true });
  {
    await using operator = await openOperator(server.url);
    await prepareTables(operator);
    for (const form of forms) {
      const subject = await form.open(server.url, { maxConcurrentOps: 3 });
      const call = subject.run(sleeping(30));
      call.catch(() => {});
      underWay.set(form.name, { subject, call });
    }
    await until('every form is in pg_sleep', async () => {
      const [sleepers] = await operator.column<number>(
        `select count(*)::int from pg_stat_activity where wait_event = 'PgSleep'`,
      );
      return sleepers === forms.length;
    });
    for (const { subject } of underWay.values()) {
      expect(subject.limiter.inFlight).toBe(1);
      expectPermitsToMatchClients(subject);
    }
  }
  await server.stop('immediate');
  await server.start();
});

afterAll(async () => {
  await Promise.all([...underWay.values()].map(({ subject }) => subject[Symbol.asyncDispose]()));
  await server?.close();
});

describe('a server that stopped in the middle of', () => {
  test.each(forms.map((form) => [form.name, form] as const))(
    '%s is an overload, and the next call after its return is served',
    async (name, form) => {
      const { subject, call } = underWay.get(name)!;
      // A standalone client's rollback on a dead connection is an operation of its own.
      await expectSettled(subject, { overloaded: name === 'LimitedClient: begin, query, commit' ? 2 : 1 });
      expect(await heard(call)).toMatch(form.body.hears?.lostConnection ?? LOST_CONNECTION);
    },
  );
});
