import type { FastifyInstance } from 'fastify';

/** The service's own account of requests, probes included. */
export class OpenRequests {
  accepted = 0;
  /** Whole answers: the rest have hung up before theirs. */
  answered = 0;
  /** Those who wait for an answer. */
  open = 0;

  /** Counts what comes after it is made. */
  constructor(app: FastifyInstance) {
    app.addHook('onRequest', async (_request, reply) => {
      this.accepted++;
      this.open++;
      reply.raw.once('finish', () => this.answered++);
      reply.raw.once('close', () => this.open--);
    });
  }
}
