import { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { LimitedPool } from './index.js';

/* pg's own pool, with clients that are open, or fail to open, when the test says so. */

class HandOpened extends EventEmitter {
  readonly _queryable = true;
  opened!: (error?: Error) => void;

  connect(callback: (error?: Error) => void): void {
    this.opened = callback;
  }

  end(callback?: () => void): void {
    callback?.();
  }

  isConnected(): boolean {
    return false;
  }

  query(): void {}
}

/** A class whose clients are told. */
function madeInto(made: HandOpened[]) {
  class Client extends HandOpened {
    constructor() {
      super();
      made.push(this);
    }
  }
  return Client as unknown as typeof pg.Client;
}

function poolAt(startsAt: number, config: pg.PoolConfig) {
  const clock = { now: startsAt };
  const made: HandOpened[] = [];
  const Client = madeInto(made);
  const bare = new pg.Pool({ Client, idleTimeoutMillis: 0, ...config });
  const pool = new LimitedPool(bare, { now: () => clock.now });
  const times = { waits: [] as number[], openings: [] as number[] };
  pool.limiter.subscribe({
    onPoolWait: (ms) => times.waits.push(ms),
    onConnectTime: (ms) => times.openings.push(ms),
  });
  onTestFinished(() => {
    const { admitted, succeeded, overloaded, failed, ignored, inFlight } = pool.limiter.stats();
    expect({ inFlight, settled: succeeded + overloaded + failed + ignored }).toEqual({
      inFlight: 0,
      settled: admitted,
    });
  });
  return { clock, made, pool, times, Client };
}

type Pool = pg.Pool;
const forms = {
  promised: (pool: Pool) => pool.connect(),
  'called back': (pool: Pool) =>
    new Promise<pg.PoolClient>((resolve, reject) => {
      pool.connect((error, client) => (error ? reject(error) : resolve(client!)));
    }),
};

/** Takes the one connection of a pool of one, at once. */
async function takeOnly({ pool, made }: ReturnType<typeof poolAt>): Promise<pg.PoolClient> {
  const first = pool.connect();
  made[0]!.opened();
  return first;
}

afterEach(() => void vi.useRealTimers());

describe.each(Object.entries(forms))('the times of a checkout, %s,', (_, connect) => {
  test('that finds room are its opening alone', async () => {
    const { clock, made, pool, times } = poolAt(1_000, { max: 1 });
    const asked = connect(pool);
    clock.now = 1_040;
    made[0]!.opened();
    (await asked).release();
    expect(times).toEqual({ waits: [], openings: [40] });
  });

  test('that finds a client are its wait alone', async () => {
    const under = poolAt(0, { max: 1 });
    const { clock, pool, times } = under;
    const client = await takeOnly(under);
    const asked = connect(pool);
    clock.now = 500;
    client.release();
    (await asked).release();
    expect(times).toEqual({ waits: [500], openings: [0] });
  });

  test('that waits for room are its wait until there is, and the opening from then on', async () => {
    const under = poolAt(0, { max: 1 });
    const { clock, made, pool, times } = under;
    const client = await takeOnly(under);
    const asked = connect(pool);
    clock.now = 500;
    client.release(true);
    clock.now = 530;
    made[1]!.opened();
    (await asked).release();
    expect(times).toEqual({ waits: [500], openings: [0, 30] });
  });

  test('that finds room while others wait are its opening alone', async () => {
    const { clock, made, pool, times } = poolAt(0, { max: 2 });
    const [first, second] = [connect(pool), connect(pool)];
    const waiting = connect(pool);
    for (const client of made) client.opened();
    // The other one's place is free before its connection has ended, and goes to who asks just now.
    made[0]!.end = (ended) => setImmediate(ended!);
    (await first).release(true);
    const asked = connect(pool);
    clock.now = 10;
    made[2]!.opened();
    (await asked).release();
    (await second).release();
    (await waiting).release();
    expect(times).toEqual({ waits: [10], openings: [0, 0, 10] });
  });

  test('one of which finds a client and the next one room, asked in one step, are told apart', async () => {
    const under = poolAt(0, { max: 2 });
    const { clock, made, pool, times } = under;
    (await takeOnly(under)).release();
    const asked = [connect(pool), connect(pool)];
    clock.now = 5;
    await new Promise(setImmediate);
    clock.now = 70;
    made[1]!.opened(new Error('refused'));
    const [first, second] = await Promise.allSettled(asked);
    expect([first!.status, second!.status]).toEqual(['fulfilled', 'rejected']);
    if (first!.status === 'fulfilled') first!.value.release();
    // The second has waited until the pool looked at its queue, and not for those 70 ms.
    expect(times).toEqual({ waits: [5, 5], openings: [0] });
  });

  test('whose connection fails are its wait until the pool began to open it', async () => {
    const under = poolAt(0, { max: 1 });
    const { clock, made, pool, times } = under;
    const client = await takeOnly(under);
    const asked = [connect(pool), connect(pool)];
    clock.now = 300;
    client.release(true);
    clock.now = 310;
    made[1]!.opened(new Error('refused'));
    await expect(asked[0]).rejects.toThrow('refused');
    clock.now = 330;
    made[2]!.opened();
    (await asked[1])!.release();
    expect(times).toEqual({ waits: [300, 310], openings: [0, 20] });
  });

  test('whose connection fails at once are none', async () => {
    const { clock, made, pool, times } = poolAt(0, { max: 1 });
    const asked = connect(pool);
    clock.now = 20;
    made[0]!.opened(new Error('refused'));
    await expect(asked).rejects.toThrow('refused');
    expect(times).toEqual({ waits: [], openings: [] });
  });

  test('whose time is up in the queue are its wait, and while its connection opens, until that began', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const under = poolAt(0, { max: 1, connectionTimeoutMillis: 400 });
    const { clock, made, pool, times } = under;
    const client = await takeOnly(under);
    const pass = (ms: number) => {
      clock.now += ms;
      return vi.advanceTimersByTimeAsync(ms);
    };
    const tooLate = connect(pool).catch((error: Error) => error.message);
    await pass(100);
    const opening = connect(pool).catch((error: Error) => error.message);
    await pass(50);
    const heir = connect(pool);
    await pass(250);
    expect(await tooLate).toBe('timeout exceeded when trying to connect');
    expect(times.waits).toEqual([400]);
    await pass(50);
    client.release(true);
    await pass(50);
    expect(await opening).toBe('timeout exceeded when trying to connect');
    expect(times.waits).toEqual([400, 350]);
    await pass(20);
    made[1]!.opened();
    (await heir).release();
    // The connection was begun for another one, but it is what it waited for at last.
    expect(times).toEqual({ waits: [400, 350, 300], openings: [0, 70] });
  });
});

test('a connection that is open and that nobody has had is not opened by its first checkout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const under = poolAt(0, { max: 1, connectionTimeoutMillis: 100 });
  const { clock, made, pool, times } = under;
  const client = await takeOnly(under);
  const tooLate = expect(pool.connect()).rejects.toThrow('timeout exceeded');
  clock.now = 10;
  client.release(true);
  await vi.advanceTimersByTimeAsync(100);
  await tooLate;
  made[1]!.opened();
  clock.now = 5_000;
  (await pool.connect()).release();
  expect(times).toEqual({ waits: [10, 0], openings: [0] });
});

test('connections that a pool had before it was limited are not opened by their first checkout', async () => {
  const clients: HandOpened[] = [];
  const bare = new pg.Pool({ Client: madeInto(clients), idleTimeoutMillis: 0 });
  const first = bare.connect();
  clients[0]!.opened();
  (await first).release();
  const openings: number[] = [];
  const pool = new LimitedPool(bare);
  pool.limiter.subscribe({ onConnectTime: (ms) => openings.push(ms) });
  (await pool.connect()).release();
  expect(openings).toEqual([]);
});

test('a pool that has no Client to look at counts the first checkout of a client as its opening', async () => {
  const made: HandOpened[] = [];
  const bare = new pg.Pool({ Client: madeInto(made), idleTimeoutMillis: 0 });
  const counts = { totalCount: 0, idleCount: 0, waitingCount: 0 };
  const facade = { Promise, options: {}, connect: () => bare.connect(), query() {}, end() {}, ...counts };
  const clock = { now: 0 };
  const pool = new LimitedPool(facade as unknown as Pool, { now: () => clock.now });
  const times: string[] = [];
  pool.limiter.subscribe({
    onPoolWait: (ms) => times.push(`wait ${ms}`),
    onConnectTime: (ms) => times.push(`opening ${ms}`),
  });
  for (const opened of [true, false]) {
    const asked = pool.connect();
    clock.now += 30;
    if (opened) made[0]!.opened();
    (await asked).release();
  }
  expect(times).toEqual(['opening 30', 'wait 30']);
});

test('the clients are of the class that was given, and so are those of a class made of the pool’s', async () => {
  const { pool, Client } = poolAt(0, {});
  const { Client: Own } = pool as unknown as { Client: typeof Client };
  class Special extends Own {}
  expect(new Own().constructor).toBe(Client);
  expect(new Special().constructor).toBe(Special);
  expect([Own.name, new Special() instanceof Client]).toEqual(['Client', true]);
});
