import { beginReply, type FastifyReplyLike } from './fastify-reply.js';
import { type HttpOptions, resolveHttpOptions } from './http-options.js';
import { type RequestLike, type ResponseLike, sendResponse } from './node-response.js';
import { httpResponse, rejectionIn } from './to-http-response.js';

/** The decorator `Catch` of `@nestjs/common`. */
export type NestCatchLike = (...exceptions: never[]) => (target: never) => unknown;

/** What is asked of Nest's `ArgumentsHost`. */
export interface NestHostLike {
  getType(): string;
  switchToHttp(): { getRequest(): unknown; getResponse(): unknown };
}

type FastifyReply = FastifyReplyLike & { readonly raw: ResponseLike };

/** An exception filter, as Nest knows it. */
export interface NestBackpressureFilter {
  catch(exception: unknown, host: NestHostLike): void;
}

/**
 * Exception filter for Nest, on Express and on Fastify, that answers rejections: `app.useGlobalFilters(nestBackpressure(Catch))`
 * with the `Catch` of `@nestjs/common`. It catches nothing else: other exceptions go to your filters and to Nest's own, as
 * they would without it.
 *
 * Gotchas: of several global filters Nest asks the last one first, so give it after those that catch everything. Once
 * headers have been sent it ends the response, as Nest's own filter does. Only HTTP requests are answered.
 *
 * @param Catch Nest's decorator, which tells Nest what a filter catches
 * @throws TypeError | RangeError naming the option, the rule and the value
 */
export function nestBackpressure(Catch: NestCatchLike, options: HttpOptions = {}): NestBackpressureFilter {
  const settings = resolveHttpOptions('nestBackpressure', options);
  if (typeof Catch !== 'function') {
    throw new TypeError(`floodgate: nestBackpressure() takes Catch of '@nestjs/common', got ${typeof Catch}`);
  }

  /** Nest asks `exception instanceof`: the same question as for all others, wrapped ones included. */
  // biome-ignore lint/complexity/noStaticOnlyClass: Nest wants a class
  class AnyRejection {
    static [Symbol.hasInstance](exception: unknown): boolean {
      return rejectionIn(exception) !== undefined;
    }
  }

  class BackpressureFilter implements NestBackpressureFilter {
    catch(exception: unknown, host: NestHostLike): void {
      if (host.getType() !== 'http') return;
      const request = host.switchToHttp().getRequest() as RequestLike;
      const response = host.switchToHttp().getResponse() as ResponseLike | FastifyReply;
      const raw = 'raw' in response ? response.raw : response;
      const answer = httpResponse(exception, settings, request.headers.accept);
      if (raw.headersSent || answer === undefined) raw.end();
      else if ('raw' in response) response.send(beginReply(response, answer));
      else sendResponse(request, response, answer);
    }
  }
  (Catch as (...exceptions: unknown[]) => (target: unknown) => unknown)(AnyRejection)(BackpressureFilter);
  return new BackpressureFilter();
}
