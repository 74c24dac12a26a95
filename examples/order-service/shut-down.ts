import { setTimeout as sleep } from 'node:timers/promises';
import type { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { FastifyInstance } from 'fastify';
import type { Health } from 'floodgate/health';
import type { LimitedRedis } from 'floodgate/ioredis';
import type { LimitedPool } from 'floodgate/pg';
import type { RequestCount } from './request-count.js';
import type { Settings } from './settings.js';

export interface Parts {
  readonly app: FastifyInstance;
  readonly requests: RequestCount;
  readonly health: Health;
  readonly pool: LimitedPool;
  readonly redis: LimitedRedis;
  readonly metrics: MeterProvider;
}

/** At SIGTERM, or Ctrl-C: in this order no accepted request is lost. Before the server listens. */
export function shutDownOnSignal(parts: Parts, { noticeMs, deadlineMs }: Settings): void {
  const { app, requests, health, pool, redis, metrics } = parts;
  let stopping = false;

  // To clients that keep their connections: the next request goes elsewhere.
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });

  async function shutDown(signal: NodeJS.Signals): Promise<void> {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), deadlineMs).unref();
    app.log.info(`${signal}: not ready`);

    health.beginShutdown();
    // At a terminal there is no load balancer to take notice.
    if (signal !== 'SIGINT') await sleep(noticeMs);
    await app.close();
    await pool.limiter.drain({ timeoutMs: 2_000 });
    await pool.end();
    redis.disconnect();
    await metrics.shutdown();
    app.log.info(requests, 'the end');
    process.exit(0);
  }
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
}
