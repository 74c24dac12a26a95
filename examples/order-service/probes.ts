import type { FastifyInstance } from 'fastify';
import { Health, type HealthOptions } from 'floodgate/health';

/** `/livez` and `/readyz`, answered before anything else. */
export function addProbes(
  app: FastifyInstance,
  dependencies: Pick<HealthOptions, 'required' | 'optional'>,
): Health {
  const health = new Health({
    ...dependencies,
    onChange: (report) => app.log.warn(report, 'health'),
  });
  app.addHook('onRequest', async (request, reply) => {
    if (health.handler(request.raw, reply.raw)) reply.hijack();
  });
  return health;
}
