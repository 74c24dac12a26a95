import { beginReply, type FastifyReplyLike } from './fastify-reply.js';
import { type HttpOptions, resolveHttpOptions } from './http-options.js';
import type { RequestLike } from './node-response.js';
import { httpResponse, rejectionIn } from './to-http-response.js';

/** What is asked of a Fastify instance: that it has hooks, whatever their types. */
export interface FastifyLike {
  addHook(name: never, hook: never): unknown;
}

type ErrorHandler = (error: unknown, request: RequestLike, reply: FastifyReplyLike) => unknown;
type OnRoute = (
  this: { readonly errorHandler: ErrorHandler },
  route: { errorHandler?: ErrorHandler },
) => void;
type OnError = (request: RequestLike, reply: FastifyReplyLike, error: unknown, next: () => void) => void;
type OnSend = (
  request: RequestLike,
  reply: FastifyReplyLike,
  body: unknown,
  next: (error: null, body: unknown) => void,
) => void;

interface WithHooks {
  addHook(name: 'onRoute', hook: OnRoute): void;
  addHook(name: 'onError', hook: OnError): void;
  addHook(name: 'onSend', hook: OnSend): void;
}

/** Rejections that nobody of us has answered yet; one table for all contexts that register the plugin. */
const unanswered = new WeakMap<FastifyReplyLike, unknown>();

/**
 * Plugin for Fastify 5 that answers rejections of all routes registered after it, in encapsulated contexts too:
 * `await app.register(fastifyBackpressure, options)`. Other errors go to the error handler of the route or of its
 * context, as they would without it, and rejections too once headers have been sent.
 *
 * Gotcha: where no route's error handler can be put in front (routes registered before, requests that no route
 * matches), the application's error handler sees the rejection, and its answer is replaced if it is a 5xx.
 *
 * @throws TypeError | RangeError naming the option, the rule and the value, when the plugin is loaded
 */
export async function fastifyBackpressure(instance: FastifyLike, options: HttpOptions): Promise<void> {
  if (typeof instance?.addHook !== 'function') {
    throw new TypeError(
      'floodgate: fastifyBackpressure is a plugin: await app.register(fastifyBackpressure, options)',
    );
  }
  const settings = resolveHttpOptions('fastifyBackpressure', withoutRegisterOptions(options));
  const app = instance as unknown as WithHooks;

  function begin(error: unknown, request: RequestLike, reply: FastifyReplyLike): Buffer | undefined {
    if (reply.raw.headersSent) return undefined;
    const answer = httpResponse(error, settings, request.headers.accept);
    if (answer === undefined) return undefined;
    unanswered.delete(reply);
    return beginReply(reply, answer);
  }

  app.addHook('onRoute', function answerFirst(route) {
    const own = route.errorHandler;
    route.errorHandler = (error, request, reply) => {
      const body = begin(error, request, reply);
      if (body !== undefined) return body;
      if (own !== undefined) return own(error, request, reply);
      // An Error that a handler throws goes to the next handler, the context's: as if this one were not there.
      if (error instanceof Error) throw error;
      return this.errorHandler(error, request, reply);
    };
  });
  app.addHook('onError', (_request, reply, error, next) => {
    if (rejectionIn(error) !== undefined) unanswered.set(reply, error);
    next();
  });
  app.addHook('onSend', (request, reply, body, next) => {
    const error = reply.statusCode >= 500 ? unanswered.get(reply) : undefined;
    next(null, (error === undefined ? undefined : begin(error, request, reply)) ?? body);
  });
}

Object.assign(fastifyBackpressure, {
  // What it adds is for the context that registers it, not for one of its own.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'floodgate',
  [Symbol.for('plugin-meta')]: { name: 'floodgate', fastify: '5.x' },
});

/** `register` has options of its own, and hands them on. */
function withoutRegisterOptions(options: HttpOptions): HttpOptions {
  const { prefix, logLevel, logSerializers, ...own } = options as HttpOptions & Record<string, unknown>;
  return own;
}
