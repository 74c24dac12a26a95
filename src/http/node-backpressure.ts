import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpOptions, resolveHttpOptions } from './http-options.js';
import { type RequestLike, type ResponseLike, sendResponse } from './node-response.js';
import { httpResponse } from './to-http-response.js';

/**
 * A handler for `http.createServer` (or `http2`, `https`) that answers the rejections which `handler` throws or rejects
 * with. Other errors come out as they are, and rejections too once headers have been sent: they end where they would
 * have ended without it.
 *
 * Gotcha: it can't see errors given to callbacks; answer those with `toHttpResponse`.
 *
 * @throws TypeError | RangeError naming the option, the rule and the value
 */
export function nodeBackpressure<
  Request extends RequestLike = IncomingMessage,
  Response extends ResponseLike = ServerResponse,
>(
  handler: (request: Request, response: Response) => unknown,
  options: HttpOptions = {},
): (request: Request, response: Response) => unknown {
  const settings = resolveHttpOptions('nodeBackpressure', options);
  if (typeof handler !== 'function') {
    throw new TypeError(`floodgate: nodeBackpressure() takes a request handler, got ${typeof handler}`);
  }

  function answerOrThrow(error: unknown, request: Request, response: Response): void {
    const answer = response.headersSent ? undefined : httpResponse(error, settings, request.headers.accept);
    if (answer === undefined) throw error;
    sendResponse(request, response, answer);
  }

  return function withBackpressure(request, response) {
    let result: unknown;
    try {
      result = handler(request, response);
    } catch (error) {
      return answerOrThrow(error, request, response);
    }
    if (!isThenable(result)) return result;
    return result.then(undefined, (error: unknown) => answerOrThrow(error, request, response));
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
