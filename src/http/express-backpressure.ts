import { HTTP_OPTION_CHECKS, type HttpOptions, resolveHttpOptions } from './http-options.js';
import { type RequestLike, type ResponseLike, sendResponse } from './node-response.js';
import { httpResponse } from './to-http-response.js';

/**
 * Error middleware for Express 5 that answers rejections: `app.use(expressBackpressure())`, after the routes and before
 * error handlers of your own. Other errors go on to these with `next(error)`, and rejections too once headers have been
 * sent (Express then closes the connection).
 *
 * @throws TypeError | RangeError naming the option, the rule and the value
 */
export function expressBackpressure(
  options: HttpOptions = {},
): (error: unknown, request: RequestLike, response: ResponseLike, next: (error?: unknown) => void) => void {
  const settings = resolveHttpOptions('expressBackpressure', options, HTTP_OPTION_CHECKS, HINT);
  // Express knows error middleware by its four parameters.
  return function backpressure(error, request, response, next) {
    const answer = response.headersSent ? undefined : httpResponse(error, settings, request.headers.accept);
    if (answer === undefined) next(error);
    else sendResponse(request, response, answer);
  };
}

/** Who forgets the call passes a request off as the options. */
const HINT = 'it is given as app.use(expressBackpressure())';
