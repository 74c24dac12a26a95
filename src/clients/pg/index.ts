export type { LimiterHandle } from '../shared/limiter-handle.js';
export { LimitedClient, type LimitedClientConstructor, limitClientClass } from './limited-client.js';
export { LimitedPool, type LimitedPoolConstructor } from './limited-pool.js';
export { nested } from './nested.js';
export type { LimitedClientOptions, LimitedPoolOptions } from './pool-options.js';
