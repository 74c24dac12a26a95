import type { Limiter } from 'floodgate';
import type { LimitedPoolOptions } from 'floodgate/pg';
import type pg from 'pg';
import { limitedPool } from '../support/pool-under-test.js';
import {
  type Body,
  copyFrom,
  copyTo,
  cursor,
  listen,
  promise,
  queries,
  queryObjectOfClient,
  queryObjectOfPool,
  queryObjectWithCallback,
  queryStream,
  type Target,
  threeAtOnce,
  transaction,
} from './call-bodies.js';
import { issue } from './call-results.js';
import { type ClientUnderTest, standaloneClient } from './standalone-client.js';
import type { Work } from './work.js';

/** One form of call on one client that is limited; made for one test, and gone with it. */
export interface Subject extends AsyncDisposable {
  readonly limiter: Limiter;
  /** `application_name` of its connections. */
  readonly name: string;
  /** Absent for a standalone client. */
  readonly pool: pg.Pool | undefined;
  run(work: Work): Promise<number>;
  leaveEarly(work: Work): Promise<number>;
  /** Whether new work still gets through. */
  serve(): Promise<number>;
}

export interface Form {
  readonly name: string;
  /** The class that its permit is counted in. */
  readonly operationClass: 'query' | 'transaction' | 'stream';
  readonly body: Body;
  open(url: string, options: LimitedPoolOptions, config?: pg.PoolConfig): Promise<Subject>;
}

function onPool(body: Body, operationClass: Form['operationClass'], ownConfig: pg.PoolConfig = {}): Form {
  return {
    name: `${ownConfig.pipeline ? 'pipelined ' : ''}pool.${body.name}`,
    operationClass,
    body,
    async open(url, options, config) {
      const under = limitedPool(url, options, { ...ownConfig, ...config });
      // Its connections are not the caller's to break off.
      const target: Target = { query: under.pool.query.bind(under.pool), breakOff() {} };
      return {
        ...under,
        run: (work) => body.run(target, work),
        leaveEarly: (work) => body.leaveEarly!(target, work),
        serve: () => promise.run(target, ONE_ROW),
      };
    },
  };
}

function onHeldClient(body: Body, ownConfig: pg.PoolConfig = {}): Form {
  const form = onPool(body, 'transaction', ownConfig);
  return {
    ...form,
    name: `${ownConfig.pipeline ? 'pipelined ' : ''}client of a pool: ${body.name}`,
    async open(url, options, config) {
      const subject = await form.open(url, options, config);
      const pool = subject.pool!;
      return {
        ...subject,
        run: (work) => withClient(pool, (target) => body.run(target, work)),
        leaveEarly: (work) => withClient(pool, (target) => body.leaveEarly!(target, work)),
      };
    },
  };
}

async function withClient(pool: pg.Pool, use: (target: Target) => Promise<number>): Promise<number> {
  const client = await pool.connect();
  let broken = false;
  const breakOff = () => {
    broken = true;
  };
  // As every holder should: of a lost connection, some calls don't tell.
  const lost = new Promise<never>((_, reject) => client.on('error', reject));
  try {
    return await Promise.race([use({ query: client.query.bind(client), breakOff, client }), lost]);
  } finally {
    client.release(broken);
  }
}

/** The older way to hold a client; released by its third argument. */
function onClientOfCallback(body: Body): Form {
  const form = onPool(body, 'transaction');
  return {
    ...form,
    name: `pool.connect(callback): ${body.name}`,
    async open(url, options, config) {
      const subject = await form.open(url, options, config);
      const pool = subject.pool!;
      return { ...subject, run: (work) => inConnectCallback(pool, (target) => body.run(target, work)) };
    },
  };
}

function inConnectCallback(pool: pg.Pool, use: (target: Target) => Promise<number>): Promise<number> {
  return new Promise((resolve, reject) => {
    let returned = false;
    const result: unknown = issue(() =>
      pool.connect((error, client, done) => {
        if (!returned) return reject(new Error('called back before the call returned', { cause: error }));
        // With an error, there is nothing to release; releasing it all the same is common, and harmless.
        if (client === undefined) return reject([error, done()][0]);
        client.on('error', () => {});
        const answer = use({ query: client.query.bind(client), breakOff() {} });
        answer.finally(done).then(resolve, reject);
      }),
    );
    returned = true;
    if (result !== undefined) reject(new Error('a call with a callback returned something'));
  });
}

function onStandaloneClient(body: Body, operationClass: Form['operationClass']): Form {
  return {
    name: `LimitedClient: ${body.name}`,
    operationClass,
    body,
    async open(url, options, config = {}) {
      const clients: ClientUnderTest[] = [];
      const connect = async (clientOptions: LimitedPoolOptions): Promise<Target> => {
        const under = await standaloneClient(url, clientOptions, config);
        clients.push(under);
        const { client } = under;
        return { query: client.query.bind(client), breakOff: () => void client.end() };
      };
      const target = await connect(options);
      const { limiter, name } = clients[0]!;
      return {
        limiter,
        name,
        pool: undefined,
        run: (work) => body.run(target, work),
        leaveEarly: (work) => body.leaveEarly!(target, work),
        serve: async () => promise.run(await connect({ limiter }), ONE_ROW),
        async [Symbol.asyncDispose]() {
          await Promise.all(clients.map((each) => each[Symbol.asyncDispose]()));
        },
      };
    },
  };
}

const ONE_ROW: Work = { sql: 'select 1', copyFrom: { sql: '', data: '' } };

/**
 * It tells of no error before its portal is closed, and the server of a lost connection does not say so. `pool.query` of a
 * limited pool knows better; the holder of a client hears it from the client.
 */
const queryStreamOfStandalone: Body = { ...queryStream, hears: { lostConnection: /^nothing$/ } };

export const forms: readonly Form[] = [
  ...queries.map((body) => onPool(body, 'query')),
  onPool(queryObjectOfPool, 'query'),
  onPool(queryObjectWithCallback, 'stream'),
  ...[cursor, queryStream, copyTo, copyFrom].map((body) => onPool(body, 'stream')),
  onPool(promise, 'query', { pipeline: true }),
  ...[...queries, transaction, queryObjectOfClient, queryObjectWithCallback].map((body) =>
    onHeldClient(body),
  ),
  ...[cursor, queryStream, copyTo, copyFrom, listen].map((body) => onHeldClient(body)),
  onClientOfCallback(promise),
  onHeldClient(threeAtOnce, { pipeline: true }),
  onStandaloneClient(promise, 'query'),
  onStandaloneClient(transaction, 'transaction'),
  onStandaloneClient(cursor, 'stream'),
  onStandaloneClient(queryStreamOfStandalone, 'stream'),
];
