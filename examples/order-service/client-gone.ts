import type { FastifyReply } from 'fastify';

/**
 * Aborts when the client has hung up before its answer. (Fastify's own `request.signal` aborts as soon as the body of the
 * request has been read.)
 */
export function clientGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // 499 is what nginx logs for it; there is nobody left to read it.
  const reason = Object.assign(new Error('the client has hung up'), { statusCode: 499 });
  reply.raw.once('close', () => gone.abort(reason));
  return gone.signal;
}
