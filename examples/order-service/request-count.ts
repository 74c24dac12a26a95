import type { FastifyInstance } from 'fastify';

/** Requests that were accepted, and those that got a whole answer. */
export interface RequestCount {
  accepted: number;
  answered: number;
}

/** Counts what comes after it, probes included: the service's own account for the last line of its log. */
export function countRequests(app: FastifyInstance): RequestCount {
  const count = { accepted: 0, answered: 0 };
  app.addHook('onRequest', async (_request, reply) => {
    count.accepted++;
    reply.raw.once('finish', () => count.answered++);
  });
  return count;
}
