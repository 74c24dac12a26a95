import { Limiter } from 'floodgate';
import { LimitedClient } from 'floodgate/pg';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Operator, openOperator } from '../support/faults.js';
import { poolConfig, uniqueName } from '../support/pool-under-test.js';
import { standaloneClient, untilSetUp } from './standalone-client.js';

const { url } = inject('postgres');
let operator: Operator;

beforeAll(async () => {
  operator = await openOperator(url);
});
afterAll(() => operator[Symbol.asyncDispose]());

describe('connecting a standalone client', () => {
  test('takes a permit, on which the queries that set it up ride', async () => {
    const client = new LimitedClient(pg.Client, { maxConcurrentOps: 1 }, poolConfig(url, uniqueName(), {}));
    const connecting = client.connect();
    expect(client.limiter.inFlight).toBe(1);
    await connecting;
    try {
      await client.query("set timezone to 'UTC'");
      await client.query("set search_path to 'public'");
      await untilSetUp(client.limiter);
      expect(client.limiter.stats()).toMatchObject({ admitted: 1, succeeded: 1, rejected: 0 });
      expect(client.limiter.stats().classes.connection).toMatchObject({ admitted: 1, succeeded: 1 });
    } finally {
      await client.end();
    }
  });

  test('lets a hot loop ride on its permit no longer than a set-up takes', async () => {
    const client = new LimitedClient(pg.Client, { maxConcurrentOps: 1 }, poolConfig(url, uniqueName(), {}));
    await client.connect();
    try {
      for (let n = 0; n < 50; n++) await client.query('select 1');
      await untilSetUp(client.limiter);
      const stats = client.limiter.stats();
      expect(stats).toMatchObject({ admitted: 43, succeeded: 43, rejected: 0, peakInFlight: 1 });
      expect(stats.classes.query).toMatchObject({ admitted: 42 });
      expect(stats.classes.transaction).toBeUndefined();
    } finally {
      await client.end();
    }
  });

  test('lets nothing more ride on its permit when the limiter drains', async () => {
    const client = new LimitedClient(pg.Client, { maxConcurrentOps: 5 }, poolConfig(url, uniqueName(), {}));
    await client.connect();
    try {
      let served = 0;
      let drained: Promise<void> | undefined;
      const loop = async () => {
        for (;;) {
          await client.query('select 1');
          served++;
          if (served === 2) drained = client.limiter.drain();
        }
      };
      await expect(loop()).rejects.toMatchObject({ name: 'BackpressureError', reason: 'draining' });
      await drained;
      expect(served).toBe(2);
      await expect(client.query('begin')).rejects.toMatchObject({ reason: 'draining' });
      expect(client.limiter.stats()).toMatchObject({ inFlight: 0, running: 0, admitted: 1, succeeded: 1 });
    } finally {
      await client.end();
    }
  });

  test('is rejected at the limit, before the server hears of it', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    const permit = limiter.acquire();
    const name = uniqueName();
    const client = new LimitedClient(pg.Client, { limiter }, poolConfig(url, name, {}));
    await expect(client.connect()).rejects.toMatchObject({ reason: 'limit', operation: 'connect' });
    let returned = false;
    const calledBack = await new Promise((resolve) => {
      client.connect((error: Error) => resolve([returned, error.name]));
      returned = true;
    });
    expect(calledBack).toEqual([true, 'BackpressureError']);
    permit.release();
    expect(
      await operator.column('select pid from pg_stat_activity where application_name = $1', [name]),
    ).toEqual([]);
    expect(limiter.stats()).toMatchObject({ inFlight: 0, rejected: 2 });
  });

  test('that fails gives its permit back as overload', async () => {
    const config = { connectionString: 'postgres://127.0.0.1:1/none' };
    const client = new LimitedClient(pg.Client, { maxConcurrentOps: 1 }, config);
    await expect(client.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await untilSetUp(client.limiter);
    expect(client.limiter.stats()).toMatchObject({ running: 0, overloaded: 1, succeeded: 0 });
  });
});

test('a client that is ended in the step in which it connects gives its permit back; pg never answers', async () => {
  const limiter = new Limiter({ maxConcurrentOps: 3 });
  for (let times = 0; times < 5; times++) {
    const client = new LimitedClient(pg.Client, { limiter }, poolConfig(url, uniqueName(), {}));
    let answered = false;
    client.connect().then(
      () => (answered = true),
      () => (answered = true),
    );
    expect(limiter.inFlight).toBe(1);
    await client.end();
    await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }));
    expect(answered).toBe(false);
  }
  expect(limiter.stats().classes.connection).toMatchObject({ admitted: 5, overloaded: 0 });
});

describe('a transaction on a standalone client', () => {
  test('sent in one go, gives its permit back, even if only the server tells of its beginning', async () => {
    await using under = await standaloneClient(url, { maxConcurrentOps: 3 });
    const { client, limiter } = under;
    for (const end of ['commit', 'rollback', 'select 1 / 0']) {
      const sent = ['select 1; begin', 'select 2', end].map((sql) => client.query(sql).catch(() => {}));
      await Promise.all(sent);
      if (end.startsWith('select')) {
        expect(limiter.inFlight).toBe(1);
        await client.query('rollback');
      }
      await vi.waitFor(() => expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0 }));
    }
    expect(limiter.stats()).toMatchObject({ rejected: 0, failed: 1, doubleReleases: 0 });
  });

  test('holds one permit from its begin to its end, and nothing in it is rejected', async () => {
    await using under = await standaloneClient(url, { maxConcurrentOps: 1 });
    const { client, limiter } = under;
    for (const end of ['commit', 'rollback']) {
      await client.query('begin');
      expect(limiter.inFlight).toBe(1);
      await client.query('select 1');
      await expect(client.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
      expect(limiter.inFlight).toBe(1);
      await client.query(end);
      expect(limiter.inFlight).toBe(0);
    }
    expect(limiter.stats()).toMatchObject({ rejected: 0, failed: 2 });
    expect(limiter.stats().classes.transaction).toMatchObject({ admitted: 2, failed: 2 });
  });

  test('is known by what the server says, however it was opened', async () => {
    await using under = await standaloneClient(url, { maxConcurrentOps: 1 });
    const { client, limiter } = under;
    await client.query('select 1; begin');
    expect(limiter.inFlight).toBe(1);
    await client.query('commit; begin');
    expect(limiter.inFlight).toBe(1);
    await client.query('/* the end */ commit');
    expect(limiter.inFlight).toBe(0);
  });

  test('keeps others out, whose begin is rejected and whose rollback is not', async () => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    await using one = await standaloneClient(url, { limiter });
    await using other = await standaloneClient(url, { limiter });
    await one.client.query('begin');
    await expect(other.client.query('begin')).rejects.toMatchObject({ reason: 'limit' });
    await expect(other.client.query('select 1')).rejects.toMatchObject({ reason: 'limit' });
    expect((await other.client.query('rollback')).command).toBe('ROLLBACK');
    await one.client.query('commit');
    expect(limiter.stats()).toMatchObject({ inFlight: 0, running: 0, rejected: 2 });
  });

  test('whose backend is killed between two queries is one overload', async () => {
    await using under = await standaloneClient(url, { maxConcurrentOps: 1 });
    await under.client.query('begin');
    await operator.terminate(under.name);
    await vi.waitFor(() => expect(under.limiter.inFlight).toBe(0));
    expect(under.limiter.stats()).toMatchObject({ running: 0, overloaded: 1, ignored: 0 });
  });

  test('whose client is ended says nothing of the server', async () => {
    const under = await standaloneClient(url, { maxConcurrentOps: 1 });
    await under.client.query('begin');
    await under.client.end();
    await vi.waitFor(() => expect(under.limiter.inFlight).toBe(0));
    // The begin was answered; that it came to nothing was its owner's wish.
    expect(under.limiter.stats().classes.transaction).toMatchObject({ succeeded: 1, overloaded: 0 });
  });
});
