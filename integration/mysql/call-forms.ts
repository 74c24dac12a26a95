import type { Limiter } from 'floodgate';
import { LimitedMysql, type LimitedMysqlOptions } from 'floodgate/mysql2';
import mysql, { type Connection, type Pool, type PoolConnection } from 'mysql2';
import {
  type Body,
  bodies,
  connectionBodies,
  events,
  promiseQuery,
  promises,
  query,
  stream,
  waysBack,
} from './call-bodies.js';
import { connectionsOf, internalsOf, limitedPool, poolConfig } from './support/client-under-test.js';
import { standaloneConnection } from './support/standalone-connection.js';
import { oneRow, type Work } from './work.js';

/** One form of call on one client that is limited; made for one test, and gone with it. */
export interface Subject extends AsyncDisposable {
  readonly limiter: Limiter;
  /** Of the driver, apart from us: connections in use and callers in line; absent for a standalone connection. */
  readonly busy: (() => number) | undefined;
  run(work: Work): Promise<number>;
  leaveEarly(work: Work): Promise<number>;
  /** Whether new work still gets through. */
  serve(): Promise<number>;
}

export interface Form {
  readonly name: string;
  /** The class that its permits are counted in. */
  readonly operationClass: 'query' | 'transaction' | 'stream';
  /** How many permits one run takes, one after the other. */
  readonly permits: number;
  readonly leavesEarly: boolean;
  readonly events: boolean;
  readonly timed: boolean;
  open(url: string, database: string, options: LimitedMysqlOptions): Promise<Subject>;
}

type Opener<T> = (
  url: string,
  database: string,
  options: LimitedMysqlOptions,
) => Promise<
  Pick<Subject, 'limiter' | 'busy' | 'serve'> &
    AsyncDisposable & { with(use: (target: T) => Promise<number>): Promise<number> }
>;

function form<T>(
  place: string,
  body: Body<T>,
  operationClass: Form['operationClass'],
  opener: Opener<T>,
  permits = 1,
): Form {
  return {
    name: `${place}: ${body.name}`,
    operationClass,
    permits,
    leavesEarly: body.leaveEarly !== undefined,
    events: body.events === true,
    timed: body.untimed !== true,
    async open(url, database, options) {
      const place = await opener(url, database, options);
      return {
        ...place,
        run: (work) => place.with((target) => body.run(target, work)),
        leaveEarly: (work) => place.with((target) => body.leaveEarly!(target, work)),
      };
    },
  };
}

const CONFIG = { multipleStatements: true };

const onPool: Opener<Pool> = async (url, database, options) => {
  const under = limitedPool(url, database, options, CONFIG);
  const { pool } = under;
  return {
    ...under,
    busy: () => busyIn(pool),
    with: (use) => use(pool),
    serve: () => query.run(pool, oneRow),
  };
};

function onHeld(goBack: (connection: PoolConnection) => void): Opener<Connection> {
  return async (url, database, options) => {
    const place = await onPool(url, database, options);
    return {
      ...place,
      with: (use) =>
        place.with(async (pool) => {
          const connection = await connectionOf((callback) => pool.getConnection(callback));
          try {
            return await use(connection as Connection);
          } finally {
            goBack(connection);
          }
        }),
    };
  };
}

const onCluster: Opener<mysql.PoolNamespace> = async (url, database, options) => {
  const cluster = new LimitedMysql(mysql.createPoolCluster, options, {
    removeNodeErrorCount: 1_000,
    canRetry: false,
  });
  for (const id of ['A', 'B']) cluster.add(id, poolConfig(url, database, CONFIG));
  const pools = Object.values((cluster as unknown as { _nodes: Record<string, { pool: Pool }> })._nodes).map(
    ({ pool }) => pool,
  );
  return {
    limiter: cluster.limiter,
    busy: () => pools.reduce((sum, pool) => sum + busyIn(pool), 0),
    with: (use) => use(cluster.of('*')),
    serve: () => query.run(cluster.of('*'), oneRow),
    async [Symbol.asyncDispose]() {
      const connections = pools.flatMap(connectionsOf);
      cluster.end(() => {});
      for (const connection of connections) connection.stream.destroy();
    },
  };
};

const onHeldOfCluster: Opener<Connection> = async (url, database, options) => {
  const place = await onCluster(url, database, options);
  return {
    ...place,
    with: (use) =>
      place.with(async (namespace) => {
        const connection = await connectionOf((callback) => namespace.getConnection(callback));
        try {
          return await use(connection);
        } finally {
          connection.release();
        }
      }),
  };
};

const onStandalone: Opener<Connection> = async (url, database, options) => {
  const connections: Connection[] = [];
  const connect = async (connectionOptions: LimitedMysqlOptions) => {
    const connection = await standaloneConnection(url, database, connectionOptions, CONFIG);
    connections.push(connection);
    return connection;
  };
  const first = await connect(options);
  const { limiter } = first;
  return {
    limiter,
    busy: undefined,
    with: (use) => use(first),
    serve: async () => query.run(await connect({ limiter }), oneRow),
    async [Symbol.asyncDispose]() {
      for (const connection of connections) {
        (connection as unknown as { stream: { destroy(): void } }).stream.destroy();
      }
    },
  };
};

function connectionOf(
  get: (callback: (error: unknown, connection: PoolConnection) => void) => void,
): Promise<PoolConnection> {
  return new Promise((resolve, reject) =>
    get((error, connection) => {
      if (error) reject(error);
      else {
        // As every holder should: a lost connection is told there, too.
        connection.on('error', () => {});
        resolve(connection);
      }
    }),
  );
}

function busyIn(pool: Pool): number {
  const { _allConnections, _freeConnections, _connectionQueue } = internalsOf(pool);
  return _allConnections.length - _freeConnections.length + _connectionQueue.length;
}

const classOf = (body: Body) => (body.events ? 'stream' : 'query');

export const forms: readonly Form[] = [
  ...bodies.map((body) => form('pool', body, classOf(body), onPool)),
  ...promises.map((body) => form('pool', body, 'query', onPool)),
  ...[...bodies, ...promises, ...connectionBodies].map((body) =>
    form('held connection', body as Body<Connection>, 'transaction', onHeld(waysBack['release()']!)),
  ),
  ...Object.entries(waysBack).map(([name, back]) =>
    form(`held connection, given back by ${name}`, promiseQuery, 'transaction', onHeld(back)),
  ),
  ...[query, stream].map((body) => form('cluster', body, classOf(body), onCluster)),
  ...[query, stream, ...connectionBodies.slice(0, 1)].map((body) =>
    form('held connection of a cluster', body as Body<Connection>, 'transaction', onHeldOfCluster),
  ),
  ...[...bodies, ...promises].map((body) =>
    form('standalone connection', body as Body<Connection>, classOf(body as Body), onStandalone),
  ),
  ...connectionBodies.map((body, index) =>
    form(
      'standalone connection',
      body,
      index === 0 ? 'transaction' : classOf(body as Body),
      onStandalone,
      // A transaction has one for all; each of two commands has its own.
      index === 0 || body.events ? 1 : 2,
    ),
  ),
];

export const someForms: readonly Form[] = [
  ...[query, events, stream].map((body) => form('pool', body, classOf(body), onPool)),
  form('pool', promiseQuery, 'query', onPool),
  form('held connection', connectionBodies[0]!, 'transaction', onHeld(waysBack['release()']!)),
  form('cluster', query, 'query', onCluster),
  form('standalone connection', query as Body<Connection>, 'query', onStandalone),
  form('standalone connection', connectionBodies[0]!, 'transaction', onStandalone),
];
