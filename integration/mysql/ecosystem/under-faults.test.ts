import { limitDriver } from 'floodgate/mysql2';
import mysql from 'mysql2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordUnhandledRejections } from '../../ecosystem/support/unhandled-rejections.js';
import { type MysqlServer, startMysql } from '../../support/servers/mysql/start-mysql.js';
import { uniqueName } from '../support/client-under-test.js';
import { type Operator, openOperator } from '../support/operator.js';
import { placeOf } from '../support/place.js';
import { CONNECTIONS, libraries, type Session } from './libraries.js';

let server: MysqlServer;
beforeAll(async () => {
  server = await startMysql({ dedicated: true });
});
afterAll(() => server.close());

interface Scene {
  readonly session: Session;
  readonly operator: Operator;
  /** Its connections are recognised by it. */
  readonly database: string;
}

interface Fault {
  readonly name: string;
  /** @returns what each caller hears */
  readonly strike: (scene: Scene) => Promise<readonly Promise<string>[]>;
  /** How operations end that did not succeed: a lost connection is overload, a killed query is its killer's doing. */
  readonly ended: { readonly overloaded: unknown; readonly ignored: number };
}

/** While all its connections run a query. */
function whileQuerying(strike: (scene: Scene) => Promise<void>): Fault['strike'] {
  return async (scene) => {
    const { session, operator, database } = scene;
    const naps = times(CONNECTIONS, () => heardOf(session.query('select sleep(30)')));
    await operator.untilRunning(database, CONNECTIONS);
    await strike(scene);
    return naps;
  };
}

function insideTransaction(strike: (scene: Scene) => Promise<void>): Fault['strike'] {
  return async (scene) => {
    const { session, operator, database } = scene;
    const work = heardOf(session.transaction('insert into marks values (1)', 'select sleep(30)'));
    await operator.untilRunning(database);
    await strike(scene);
    return [work];
  };
}

const faults: readonly Fault[] = [
  {
    name: 'its connections are killed while they query',
    strike: whileQuerying(({ operator, database }) => operator.kill(database)),
    ended: { overloaded: CONNECTIONS, ignored: 0 },
  },
  {
    name: 'its queries are killed',
    strike: whileQuerying(({ operator, database }) => operator.killQueries(database)),
    ended: { overloaded: 0, ignored: CONNECTIONS },
  },
  {
    name: 'a connection is killed in a transaction',
    strike: insideTransaction(({ operator, database }) => operator.kill(database)),
    ended: { overloaded: 1, ignored: 0 },
  },
  {
    name: 'a query is killed in a transaction',
    strike: insideTransaction(({ operator, database }) => operator.killQueries(database)),
    // The rest of the transaction did work.
    ended: { overloaded: 0, ignored: 0 },
  },
  {
    name: 'the server is stopped, and comes back',
    strike: whileQuerying(async ({ session }) => {
      await server.stop('immediate');
      expect(await heardOf(session.query('select 1'))).not.toBe('served');
      await server.start();
    }),
    // Sequelize tries to connect three times for one call.
    ended: { overloaded: expect.toBeOneOf([CONNECTIONS + 1, CONNECTIONS + 3]), ignored: 0 },
  },
];

describe.each(Object.entries(libraries))('%s', (_library, open) => {
  /** @returns what its callers have heard, how many rows the transaction left, and how many connections there are after it */
  async function undergo(driver: typeof mysql, strike: Fault['strike']) {
    using unhandled = recordUnhandledRejections();
    const database = uniqueName();
    {
      await using operator = await openOperator(server.url);
      await operator.createDatabase(database);
    }
    await using session = await open(driver, placeOf(server.url, database));
    // All connections are there, and set up.
    await Promise.all(times(CONNECTIONS, () => session.query('select sleep(0.1)')));
    let heard: string[];
    {
      await using operator = await openOperator(server.url);
      heard = await Promise.all(await strike({ session, operator, database }));
    }
    await using operator = await openOperator(server.url);
    await expect.poll(() => heardOf(session.query('select 1'))).toBe('served');
    await Promise.all(times(2 * CONNECTIONS, () => session.query('select sleep(0.01)')));
    expect(await operator.connections(database)).toBeLessThanOrEqual(CONNECTIONS);
    const marks = await operator.column(`select n from ${database}.marks`);
    expect(unhandled.errors).toEqual([]);
    return { heard, marks };
  }

  test.each(faults)('$name; its callers hear what they would without a limit', async ({ strike, ended }) => {
    const driver = limitDriver(mysql, { maxConcurrentOps: 50 });
    const limited = await undergo(driver, strike);
    expect(limited).toEqual(await undergo(mysql, strike));
    expect(limited.heard).not.toContain('served');
    expect(limited.marks).toEqual([]);
    const none = { inFlight: 0, running: 0, doubleReleases: 0, rejected: 0, failed: 0 };
    await expect.poll(() => driver.limiter.stats()).toMatchObject({ ...none, ...ended });
    const { admitted, succeeded, overloaded, ignored } = driver.limiter.stats();
    expect(succeeded).toBe(admitted - overloaded - ignored);
    expect(succeeded).toBeGreaterThan(0);
  });
});

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

const heardOf = (call: Promise<unknown>) => call.then(() => 'served', whatWent);

/** The library's class, and the driver's code. Which of its two words a killed connection is told by is the server's chance. */
function whatWent(error: unknown): string {
  let cause = error as { code?: string; cause?: unknown; original?: unknown };
  while (cause.code === undefined && (cause.original ?? cause.cause) !== undefined) {
    cause = (cause.original ?? cause.cause) as typeof cause;
  }
  const lost = ['ER_CONNECTION_KILLED', 'PROTOCOL_CONNECTION_LOST', 'ECONNRESET'].includes(cause.code ?? '');
  return `${(error as Error).constructor.name}: ${lost ? 'lost' : cause.code}`;
}
