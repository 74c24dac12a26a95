import { Limiter } from 'floodgate';
import { LimitedClient, LimitedPool, limitClientClass } from 'floodgate/pg';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { barePool, limitedPool, underTest } from '../support/pool-under-test.js';
import { standaloneClient, untilSetUp } from './standalone-client.js';

const { url } = inject('postgres');

/** Calls that TypeScript would not let through. */
const Untyped = LimitedPool as unknown as new (...args: unknown[]) => LimitedPool;
const UntypedClient = LimitedClient as unknown as new (...args: unknown[]) => LimitedClient;

describe('LimitedPool', () => {
  test('makes a pool of the class it is given, with that class’s own arguments', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 3 }, { max: 7 });
    const { pool } = under;
    expect(pool).toBeInstanceOf(pg.Pool);
    expect(pool).toBeInstanceOf(LimitedPool);
    expect(pool).not.toBeInstanceOf(LimitedClient);
    expect([pool.constructor.name, pool.options.max, pool.limiter.limit]).toEqual(['BoundPool', 7, 3]);
    expect(Object.getPrototypeOf(pool)).toBe(pg.Pool.prototype);
    expect(pg.Pool.prototype).not.toHaveProperty('limiter');
  });

  test('limits a pool that is there already, and what it had out stays out of the count', async () => {
    await using bare = barePool(url);
    const before = await bare.pool.connect();
    const pool = new LimitedPool(bare.pool, { maxConcurrentOps: 1 });
    expect(pool).toBe(bare.pool);
    expect(pool.limiter.inFlight).toBe(0);
    const client = await pool.connect();
    await expect(pool.query('select 1')).rejects.toMatchObject({ reason: 'limit' });
    before.release();
    expect(pool.limiter.inFlight).toBe(1);
    client.release();
    expect((await pool.query('select 1')).rowCount).toBe(1);
    expect(pool.limiter.stats()).toMatchObject({ inFlight: 0, admitted: 2, rejected: 1 });
  });

  test('a bare pool is no LimitedPool, and its neighbours stay bare', async () => {
    await using bare = barePool(url);
    await using other = barePool(url);
    new LimitedPool(bare.pool);
    expect(bare.pool).toBeInstanceOf(LimitedPool);
    expect(other.pool).not.toBeInstanceOf(LimitedPool);
    expect(Object.hasOwn(other.pool, 'connect')).toBe(false);
  });

  test('wraps once: the second time, the same handle comes back and counts once', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 2 });
    expect(new LimitedPool(under.pool)).toBe(under.pool);
    expect(new LimitedPool(under.pool, { maxConcurrentOps: 2 })).toBe(under.pool);
    expect(new LimitedPool(under.pool, { limiter: under.limiter }).limiter).toBe(under.limiter);
    await under.pool.query('select 1');
    expect(under.limiter.stats()).toMatchObject({ admitted: 1, succeeded: 1 });
  });

  test('shares a limiter between two pools', async () => {
    const limiter = new Limiter({ name: 'orders', maxConcurrentOps: 2 });
    await using one = limitedPool(url, { limiter });
    await using other = limitedPool(url, { limiter });
    const clients = [await one.pool.connect(), await other.pool.connect()];
    const rejections = [one, other].map(({ pool }) => pool.query('select 1').catch((error: Error) => error));
    for (const rejection of await Promise.all(rejections)) {
      expect(rejection).toMatchObject({
        message: 'orders: query rejected, every permit is taken (2 in flight, limit 2)',
      });
    }
    for (const client of clients) client.release();
    expect(limiter.stats()).toMatchObject({ inFlight: 0, admitted: 2, rejected: 2 });
  });
});

/** `TypeError: message`, with the class from the error itself. */
function thrownBy(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return `${(error as Error).constructor.name}: ${(error as Error).message}`;
  }
  return 'nothing';
}

const NO_POOL =
  'TypeError: floodgate: the pool must be pg.Pool or a pool of its kind (for a pg.Client there is LimitedClient), got';
const NO_CLIENT_CLASS = 'must be pg.Client or a class of its kind (for a pg.Pool there is LimitedPool), got';
const NO_CLIENT = 'must be pg.Client or a client of its kind (for a pg.Pool there is LimitedPool), got';
const someLimiter = new Limiter();

describe('LimitedPool refuses, and says why:', () => {
  test.each<[what: string, args: unknown[], message: string]>([
    ['a class that is no pool', [Map], `${NO_POOL} function Map`],
    ['a pg.Client', [pg.Client], `${NO_POOL} function Client`],
    ['an object that is no pool', [{ query() {} }], `${NO_POOL} an object (Object)`],
    ['nothing', [], `${NO_POOL} undefined`],
    [
      'a limit of 0',
      [pg.Pool, { maxConcurrentOps: 0 }],
      'RangeError: floodgate: maxConcurrentOps must be an integer >= 1, got 0 (number)',
    ],
    [
      'an unknown word for abandonedStatements',
      [pg.Pool, { abandonedStatements: 'kill' }],
      "RangeError: floodgate: abandonedStatements must be one of 'wait', 'cancel', got 'kill' (string)",
    ],
    [
      'a checkout of no time',
      [pg.Pool, { maxCheckoutMs: 0 }],
      'RangeError: floodgate: maxCheckoutMs must be a number of milliseconds from 1 to 2147483647, got 0 (number)',
    ],
    [
      'a bulkhead for a class that it does not know',
      [pg.Pool, { bulkheads: { scan: 1 } }],
      "TypeError: floodgate: unknown class in bulkheads 'scan' (known: query, transaction, stream)",
    ],
    [
      'a limiter that is none',
      [pg.Pool, { limiter: {} }],
      'TypeError: floodgate: limiter must be a floodgate Limiter, got an object (Object)',
    ],
    [
      'a limiter and a limit',
      [pg.Pool, { limiter: someLimiter, maxConcurrentOps: 5 }],
      "TypeError: floodgate: maxConcurrentOps must be absent beside 'limiter', which has its own, got 5 (number)",
    ],
  ])('%s', (_, args, message) => {
    expect(thrownBy(() => new Untyped(...args))).toBe(message);
  });

  test.each([
    ['an option that it does not know', 'capacity', 5],
    ["pg's configuration in its own place", 'connectionString', url],
  ])('%s, with a hint where the other configuration belongs', (_, option, value) => {
    expect(thrownBy(() => new Untyped(pg.Pool, { [option]: value }))).toMatch(
      RegExp(
        `^TypeError: floodgate: unknown LimitedPool option '${option}' \\(known: name, .*, maxCheckoutMs\\); ` +
          "pg's own configuration is the third argument$",
      ),
    );
  });

  test('another limiter, or another limit, for a pool that has one', async () => {
    await using under = limitedPool(url, { maxConcurrentOps: 2 });
    const { pool } = under;
    const present = ": its limiter is 'pg', with maxConcurrentOps 2";
    expect(thrownBy(() => new LimitedPool(pool, { limiter: someLimiter }))).toBe(
      `TypeError: floodgate: limiter must be the same for a client that is wrapped already (by LimitedPool), got an object (Limiter)${present}`,
    );
    expect(thrownBy(() => new LimitedPool(pool, { maxConcurrentOps: 3 }))).toBe(
      `TypeError: floodgate: maxConcurrentOps must be the same for a client that is wrapped already (by LimitedPool), got 3 (number)${present}`,
    );
    expect(pool.limiter).toBe(under.limiter);
  });

  test('a configuration for a pool that is there already', async () => {
    await using bare = barePool(url);
    expect(thrownBy(() => new Untyped(bare.pool, {}, { max: 2 }))).toBe(
      "TypeError: floodgate: the pool's configuration must be absent for a pool that exists, got an object (Object)",
    );
    expect(bare.pool).not.toBeInstanceOf(LimitedPool);
  });
});

describe('LimitedClient', () => {
  test('limits the client itself, once', async () => {
    await using under = await standaloneClient(url, { maxConcurrentOps: 1 });
    const { client, limiter } = under;
    expect(client).toBeInstanceOf(pg.Client);
    expect(client).toBeInstanceOf(LimitedClient);
    expect(client).not.toBeInstanceOf(LimitedPool);
    expect(new LimitedClient(client)).toBe(client);
    const queries = [client.query('select pg_sleep(0.05)'), client.query('select 1')];
    await expect(queries[1]).rejects.toMatchObject({ reason: 'limit', limit: 1 });
    await queries[0];
    expect(limiter.stats().classes.query).toMatchObject({ inFlight: 0, admitted: 1, rejected: 1 });
  });

  test('refuses what is no client, and what is a pool', () => {
    expect(thrownBy(() => new UntypedClient(Map))).toBe(
      `TypeError: floodgate: the class ${NO_CLIENT_CLASS} function Map`,
    );
    expect(thrownBy(() => new UntypedClient(pg.Pool))).toBe(
      `TypeError: floodgate: the class ${NO_CLIENT_CLASS} function BoundPool`,
    );
    expect(thrownBy(() => new UntypedClient({}))).toBe(
      `TypeError: floodgate: the client ${NO_CLIENT} an object (Object)`,
    );
  });
});

describe('limitClientClass', () => {
  test('makes clients that share one limiter, for a library that pools them itself', async () => {
    const Client = limitClientClass(pg.Client, { maxConcurrentOps: 1 });
    const clients = [1, 2].map(() => new Client({ connectionString: url }));
    for (const client of clients) {
      await client.connect();
      await untilSetUp(client.limiter);
    }
    try {
      const answers = await Promise.allSettled(
        clients.map((client) => client.query('select pg_sleep(0.05)')),
      );
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(clients[1]).toBeInstanceOf(Client);
      expect(clients.map(({ limiter }) => limiter)).toEqual([Client.limiter, Client.limiter]);
      expect(Client.limiter.stats()).toMatchObject({ inFlight: 0, admitted: 3, rejected: 1 });
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });
});

test('native bindings are limited by the same code, where they are installed', async () => {
  const { native } = pg as unknown as { native: typeof pg | null };
  console.log(`native bindings of pg: ${native === null ? 'not installed, not tested' : 'tested'}`);
  await using under = native === null ? undefined : underTest(nativePool(native), '');
  const served = under === undefined ? undefined : (await under.pool.query('select 1')).rowCount;
  expect([native === null, served]).toEqual(native === null ? [true, undefined] : [false, 1]);
});

function nativePool(native: typeof pg): LimitedPool {
  return new LimitedPool(native.Pool, { maxConcurrentOps: 1 }, { connectionString: url });
}
