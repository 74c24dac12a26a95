import pg from 'pg';
import { type Exposition, scrape } from '../../observe/support/exposition.js';
import { type ChildService, startChildService } from '../../support/child-service.js';
import { uniqueName } from '../../support/pool-under-test.js';
import { type RedisServer, startRedis } from '../../support/servers/redis/start-redis.js';
import { freePort } from '../../support/servers/shared/free-port.js';

/** The order service of `examples/`, in a process of its own, with a database and a Redis of its own. */
export interface RunningOrderService extends AsyncDisposable {
  readonly address: string;
  readonly child: ChildService;
  readonly redis: RedisServer;
  /** Sees the service's tables, round its limiter. */
  readonly database: pg.Client;
  metrics(): Promise<Exposition>;
}

export async function startOrderService(
  postgresUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningOrderService> {
  const begun: (() => Promise<unknown>)[] = [];
  const end = async () => {
    for (const close of begun.splice(0).reverse()) await close();
  };
  try {
    const operator = await connect(postgresUrl, begun);
    const name = uniqueName();
    await operator.query(`create database "${name}"`);
    begun.push(() => operator.query(`drop database "${name}" with (force)`));
    const databaseUrl = Object.assign(new URL(postgresUrl), { pathname: `/${name}` }).href;
    const redis = await startRedis({ dedicated: true });
    begun.push(() => redis.close());
    const [port, metricsPort] = [await freePort(), await freePort()];
    const child = startChildService('examples/order-service/index.js', {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      ...settings,
    });
    begun.push(async () => child[Symbol.asyncDispose]());
    await child.line('Server listening');
    return {
      address: `http://127.0.0.1:${port}`,
      child,
      redis,
      database: await connect(databaseUrl, begun),
      metrics: () => scrape(`http://127.0.0.1:${metricsPort}/metrics`),
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function connect(url: string, begun: (() => Promise<unknown>)[]): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  begun.push(() => client.end());
  return client;
}
