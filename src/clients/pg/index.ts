export type { LimiterHandle } from '../shared/limiter-handle.js';
export { nested } from '../shared/nested.js';
export { LimitedClient, type LimitedClientConstructor, limitClientClass } from './limited-client.js';
export { LimitedPool, type LimitedPoolConstructor } from './limited-pool.js';
export type { LimitedClientOptions, LimitedPoolOptions } from './pool-options.js';
