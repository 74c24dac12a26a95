import { ofType } from '../core/option-checks.js';
import { HTTP_OPTION_CHECKS, type HttpOptions, resolveHttpOptions } from './http-options.js';
import { STALE_HEADERS } from './stale-headers.js';
import { httpResponse } from './to-http-response.js';

/** What is asked of a Hono context. */
export interface HonoContextLike {
  readonly req: { header(name: string): string | undefined };
  header(name: string, value?: string): void;
  body(data: string, status: 503): Response;
  text(text: string, status: 500): Response;
  newResponse(data: Response['body'], init: Response): Response;
}

export type HonoErrorHandler<Context> = (error: Error, context: Context) => Response | Promise<Response>;

export interface HonoOptions<Context> extends HttpOptions {
  /** Your handler for all other errors. @default what Hono does when it has none */
  readonly onError?: HonoErrorHandler<Context> | undefined;
}

const CHECKS = { ...HTTP_OPTION_CHECKS, onError: ofType('function') };

/**
 * An error handler for Hono that answers rejections and leaves other errors to yours:
 * `app.onError(honoBackpressure({ onError: (error, c) => c.text('sorry', 500) }))`. A mounted app that has an error
 * handler of its own needs it too.
 *
 * Errors in the callback of a `stream()` come after the response has begun: Hono gives them to that helper's own handler.
 *
 * @throws TypeError | RangeError naming the option, the rule and the value
 */
export function honoBackpressure<Context extends HonoContextLike = HonoContextLike>(
  options: HonoOptions<Context> = {},
): HonoErrorHandler<Context> {
  const settings = resolveHttpOptions('honoBackpressure', options, CHECKS);
  const onOther = options.onError ?? likeHono;
  return function backpressure(error, context) {
    const answer = httpResponse(error, settings, context.req.header('accept'));
    if (answer === undefined) return onOther(error, context);
    // Hono lets headers of a response that was there before win over those of the new one.
    for (const name of STALE_HEADERS) context.header(name, undefined);
    for (const [name, value] of Object.entries(answer.headers)) context.header(name, value);
    return context.body(answer.body, answer.status);
  };
}

/** Hono's own handler can't be asked for once there is another. */
function likeHono(error: Error, context: HonoContextLike): Response {
  if ('getResponse' in error) {
    const response = (error as Error & { getResponse(): Response }).getResponse();
    return context.newResponse(response.body, response);
  }
  console.error(error);
  return context.text('Internal Server Error', 500);
}
