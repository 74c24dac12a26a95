import type { Cluster, Redis } from 'ioredis';
import type { LimiterHandle } from '../shared/limiter-handle.js';

/** What tells a client of ioredis from others, whichever version, copy or subclass it is of. */
export interface RedisLike {
  readonly status: string;
  sendCommand(...args: never[]): unknown;
  pipeline(...args: never[]): unknown;
  multi(...args: never[]): unknown;
  duplicate(...args: never[]): unknown;
  disconnect(...args: never[]): unknown;
  defineCommand(...args: never[]): unknown;
}

export type RedisClass = new (...args: never[]) => RedisLike;

/** Every way to call a constructor: `Redis` has eight, and `ConstructorParameters` sees only the last of them. */
export type ConstructorArguments<C> = C extends {
  new (...args: infer A1): unknown;
  new (...args: infer A2): unknown;
  new (...args: infer A3): unknown;
  new (...args: infer A4): unknown;
  new (...args: infer A5): unknown;
  new (...args: infer A6): unknown;
  new (...args: infer A7): unknown;
  new (...args: infer A8): unknown;
}
  ? A1 | A2 | A3 | A4 | A5 | A6 | A7 | A8
  : never;

/**
 * What `new C(...args)` is. The classes of ioredis 6 are generic in the shape of replies, which is no part of their
 * constructor's type here; without `replyMapping: 'resp3'` it is the default.
 */
export type InstanceOf<C extends RedisClass, A extends readonly unknown[]> = A extends readonly [
  ...unknown[],
  { readonly replyMapping: 'resp3' } | { readonly redisOptions: { readonly replyMapping: 'resp3' } },
]
  ? InstanceType<C>
  : Same<C, typeof Redis> extends true
    ? Redis
    : Same<C, typeof Cluster> extends true
      ? Cluster
      : InstanceType<C>;

/** What `duplicate()` of a limited client returns has the same limiter. */
export interface LimitedDuplicate<R extends RedisLike> {
  duplicate(...args: SameReplies<Parameters<R['duplicate']>>): Limited<ReturnType<R['duplicate']>>;
}

type Limited<D> = D extends RedisLike ? LimitedDuplicate<D> & D & LimiterHandle : D;

/** Where `duplicate()` of ioredis 6 is to change the shape of replies, its own type alone knows to what. */
type SameReplies<A extends readonly unknown[]> = {
  [I in keyof A]: A[I] & {
    readonly replyMapping?: undefined;
    readonly redisOptions?: { readonly replyMapping?: undefined };
  };
};

type Same<A, B> = [A, B] extends [B, A] ? true : false;
