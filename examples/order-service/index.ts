/*
 * An order service that stands what comes: Fastify, PostgreSQL and Redis, with floodgate in all the places where it helps.
 *
 *     DATABASE_URL=postgres://... REDIS_URL=redis://... node build/examples/order-service/index.js
 *
 * or, with servers that are found or started: npm run example
 */
import Fastify from 'fastify';
import { fastifyBackpressure } from 'floodgate/http';
import { openDatabase } from './database.js';
import { ErrorsOnly } from './errors-only.js';
import { logLimiters } from './log-lines.js';
import { exposeMetrics } from './metrics.js';
import { OrderCache, openRedis } from './order-cache.js';
import { Orders } from './orders.js';
import { addProbes } from './probes.js';
import { countRequests } from './request-count.js';
import { addRoutes } from './routes.js';
import { createSchema } from './schema.js';
import { readSettings } from './settings.js';
import { shutDownOnSignal } from './shut-down.js';

const settings = readSettings(process.env);
const app = Fastify({
  logger: { level: process.env.LOG_LEVEL ?? 'info' },
  logController: new ErrorsOnly(),
  // While it closes, what still comes over open connections is served, not refused.
  return503OnClosing: false,
});

const pool = openDatabase(settings.databaseUrl, app.log);
const redis = openRedis(settings.redisUrl, app.log);
logLimiters(app.log);
const metrics = await exposeMetrics(settings.metricsPort, [pool, redis]);
await createSchema(pool);

const requests = countRequests(app);
const health = addProbes(app, { required: { postgres: pool }, optional: { redis } });
shutDownOnSignal({ app, requests, health, pool, redis, metrics }, settings);
await app.register(fastifyBackpressure);
addRoutes(app, new Orders(pool, new OrderCache(redis)), pool);

await app.listen({ port: settings.port, host: '0.0.0.0' });
