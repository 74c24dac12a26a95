export { expressBackpressure } from './express-backpressure.js';
export { type FastifyLike, fastifyBackpressure } from './fastify-backpressure.js';
export {
  type HonoContextLike,
  type HonoErrorHandler,
  type HonoOptions,
  honoBackpressure,
} from './hono-backpressure.js';
export type { ExposedField, HttpOptions } from './http-options.js';
export { type KoaContextLike, koaBackpressure } from './koa-backpressure.js';
export {
  type NestBackpressureFilter,
  type NestCatchLike,
  type NestHostLike,
  nestBackpressure,
} from './nest-backpressure.js';
export { nodeBackpressure } from './node-backpressure.js';
export type { RequestLike, ResponseLike } from './node-response.js';
export { type HttpResponse, type HttpResponseOptions, toHttpResponse } from './to-http-response.js';
