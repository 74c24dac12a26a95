/* `npm run example`: the order service, with the servers at DATABASE_URL and REDIS_URL, or with some of its own. */
import { startPostgres } from '../../integration/support/servers/postgres/start-postgres.js';
import { startRedis } from '../../integration/support/servers/redis/start-redis.js';

const { env } = process;
const log = console.log;
env.DATABASE_URL ||= (await startPostgres({ log })).url;
env.REDIS_URL ||= (await startRedis({ log })).url;

// What was started here goes when this process does.
await import('./index.js');
console.log(`
Try      curl -i http://localhost:${env.PORT ?? 3000}/orders/1
Overload npx autocannon -c 200 -d 20 http://localhost:${env.PORT ?? 3000}/orders/1
Health   curl http://localhost:${env.PORT ?? 3000}/readyz
Metrics  curl http://localhost:${env.METRICS_PORT ?? 9464}/metrics
Ctrl-C shuts it down.
`);
