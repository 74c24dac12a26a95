import { STALE_HEADERS } from './stale-headers.js';
import type { HttpResponse } from './to-http-response.js';

/** What is asked of a Fastify reply. */
export interface FastifyReplyLike {
  readonly raw: { readonly headersSent: boolean };
  readonly statusCode: number;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  removeHeader(name: string): unknown;
  send(body: unknown): unknown;
}

/** Sets status and headers; gives the body to send, as bytes, which Fastify serializes no further. */
export function beginReply(reply: FastifyReplyLike, answer: HttpResponse): Buffer {
  for (const name of STALE_HEADERS) reply.removeHeader(name);
  reply.code(answer.status);
  for (const [name, value] of Object.entries(answer.headers)) reply.header(name, value);
  return Buffer.from(answer.body);
}
