export type { LimiterHandle } from '../shared/limiter-handle.js';
export { LimitedRedis, type LimitedRedisConstructor } from './limited-redis.js';
export type { LimitedRedisOptions } from './redis-options.js';
