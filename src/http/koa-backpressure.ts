import { HTTP_OPTION_CHECKS, type HttpOptions, resolveHttpOptions } from './http-options.js';
import { STALE_HEADERS } from './stale-headers.js';
import { httpResponse } from './to-http-response.js';

/** What is asked of a Koa context. */
export interface KoaContextLike {
  readonly headers: { readonly accept?: string | undefined };
  readonly headerSent: boolean;
  readonly respond?: boolean | undefined;
  status: number;
  body: unknown;
  set(name: string, value: string): unknown;
  remove(name: string): unknown;
}

/**
 * Middleware for Koa 3 that answers rejections of everything after it: `app.use(koaBackpressure())`, first of all. They
 * are expected under overload and don't reach the application's `'error'` event. Other errors pass through it, those of
 * `ctx.throw` among them, and rejections too once headers have been sent or with `ctx.respond = false`: Koa reports
 * these as it does.
 *
 * Gotcha: the error of a stream given as `ctx.body` goes by all middleware; Koa answers it.
 *
 * @throws TypeError | RangeError naming the option, the rule and the value
 */
export function koaBackpressure(
  options: HttpOptions = {},
): (context: KoaContextLike, next: () => Promise<unknown>) => Promise<void> {
  const settings = resolveHttpOptions('koaBackpressure', options, HTTP_OPTION_CHECKS, HINT);
  return async function backpressure(context, next) {
    try {
      await next();
    } catch (error) {
      const open = !context.headerSent && context.respond !== false;
      const answer = open ? httpResponse(error, settings, context.headers.accept) : undefined;
      if (answer === undefined) throw error;
      for (const name of STALE_HEADERS) context.remove(name);
      context.status = answer.status;
      context.body = answer.body;
      // After the body, which brings a type of its own.
      for (const [name, value] of Object.entries(answer.headers)) context.set(name, value);
    }
  };
}

/** Who forgets the call passes a request off as the options. */
const HINT = 'it is given as app.use(koaBackpressure())';
