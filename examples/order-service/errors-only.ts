import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/** Logs what goes wrong with a request, and not that there was one: two lines for each are too much in an overload. */
export class ErrorsOnly extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (error) super.requestCompleted(error, request, reply);
  }
}
