import { ofType, oneOf } from '../../core/option-checks.js';
import { type ClientLimiterOptions, checkClientOptions } from '../shared/client-options.js';

/** What may have a bulkhead, and be shed. */
type RedisShare = 'command' | 'pipeline' | 'blocking';

/** Options of `LimitedRedis`: those of its limiter, and what is particular to Redis. */
export interface LimitedRedisOptions extends ClientLimiterOptions<RedisShare> {
  /**
   * What blocking commands (`BLPOP` and its kind, `XREAD` with `BLOCK`, `WAIT`) take. They wait for data, not for the
   * server, and may do so for ever.
   *
   * - `'exempt'`: no permits. They are counted in the class `blocking`, and `bulkheads: { blocking: n }` allows at most n
   *   of them at a time, beside the limit; n is at most `maxConcurrentOps` all the same.
   * - `'limit'`: one permit each, as any command; `bulkheads: { blocking: n }` caps them inside the limit.
   *
   * @default 'exempt'
   */
  readonly blocking?: 'exempt' | 'limit' | undefined;
  /**
   * How many permits a pipeline or a MULTI takes, from the number of its commands (MULTI and EXEC not counted): an integer
   * from 1. More than the limit (or than `bulkheads.pipeline`) is clamped to that. When it throws, or returns anything
   * else, that is reported once as a process warning, and the default decides. @default (commands) => commands
   */
  readonly pipelineWeight?: ((commands: number) => number) | undefined;
  /** Whether what `duplicate()` returns is limited too, by the same limiter. @default true */
  readonly limitDuplicates?: boolean | undefined;
}

export interface ResolvedRedisOptions {
  readonly blocking: 'exempt' | 'limit';
  readonly pipelineWeight: ((commands: number) => number) | undefined;
  readonly limitDuplicates: boolean;
}

const SHARES: readonly RedisShare[] = ['command', 'pipeline', 'blocking'];
const HINT = "ioredis' own options stand after these";
const CHECKS = {
  blocking: oneOf('exempt', 'limit'),
  pipelineWeight: ofType('function'),
  limitDuplicates: ofType('boolean'),
};

export function resolveRedisOptions(options: LimitedRedisOptions): ResolvedRedisOptions {
  checkClientOptions('LimitedRedis', options, CHECKS, SHARES, HINT);
  return {
    blocking: options.blocking ?? 'exempt',
    pipelineWeight: options.pipelineWeight,
    limitDuplicates: options.limitDuplicates ?? true,
  };
}
