import pg from 'pg';
import { type Exposition, scrape } from '../../observe/support/exposition.js';
import { type ChildService, startChildService } from '../../support/child-service.js';
import { type RedisServer, startRedis } from '../../support/servers/redis/start-redis.js';
import { freePort } from '../../support/servers/shared/free-port.js';
import { createOwnDatabase } from './own-database.js';

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
  const begun: AsyncDisposable[] = [];
  const end = async () => {
    for (const each of begun.splice(0).reverse()) await each[Symbol.asyncDispose]();
  };
  try {
    const own = await createOwnDatabase(postgresUrl);
    begun.push(own);
    const redis = await startRedis({ dedicated: true });
    begun.push(redis);
    const [port, metricsPort] = [await freePort(), await freePort()];
    const child = startChildService('examples/order-service/index.js', {
      DATABASE_URL: own.url,
      REDIS_URL: redis.url,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      ...settings,
    });
    begun.push(child);
    await child.line('Server listening');
    const database = new pg.Client(own.url);
    await database.connect();
    begun.push({ [Symbol.asyncDispose]: () => database.end() });
    return {
      address: `http://127.0.0.1:${port}`,
      child,
      redis,
      database,
      metrics: () => scrape(`http://127.0.0.1:${metricsPort}/metrics`),
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
