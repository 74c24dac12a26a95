import { type Callback, type ChainableCommander, Cluster, Redis, type Result } from 'ioredis';
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5';
import pg from 'pg';
import { describe, expectTypeOf, test } from 'vitest';
import { Limiter } from '../../core/limiter.js';
import { LimitedRedis } from './index.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    addAndGet(key: string, by: number, callback?: Callback<number>): Result<number, Context>;
  }
}

const redis = new LimitedRedis(Redis, { maxConcurrentOps: 500 }, 'redis://localhost', { keyPrefix: 'app:' });
const cluster = new LimitedRedis(Cluster, { maxConcurrentOps: 500 }, [{ host: 'localhost', port: 7000 }]);

describe('LimitedRedis keeps the type of the client', () => {
  test('every constructor of Redis and Cluster', () => {
    expectTypeOf(redis).toEqualTypeOf<LimitedRedis<Redis>>();
    expectTypeOf(redis).toExtend<Redis>();
    expectTypeOf(redis.limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(new LimitedRedis(Redis)).toEqualTypeOf<LimitedRedis<Redis>>();
    expectTypeOf(new LimitedRedis(Redis, {}, 6379)).toExtend<Redis>();
    expectTypeOf(new LimitedRedis(Redis, {}, 6379, 'localhost')).toExtend<Redis>();
    expectTypeOf(new LimitedRedis(Redis, {}, 6379, 'localhost', { db: 1 })).toExtend<Redis>();
    expectTypeOf(new LimitedRedis(Redis, {}, { sentinels: [{ host: 'a' }], name: 'm' })).toExtend<Redis>();
    expectTypeOf(cluster).toEqualTypeOf<LimitedRedis<Cluster>>();
    expectTypeOf(new LimitedRedis(Redis.Cluster, {}, [7000], { scaleReads: 'slave' })).toExtend<Cluster>();
    expectTypeOf(new LimitedRedis(Redis, { limiter: new Limiter() })).toExtend<Redis>();
    const annotated: LimitedRedis = redis;
    expectTypeOf(annotated.status).toEqualTypeOf<Redis['status']>();
  });

  test('an instance, and a class of the user’s', () => {
    expectTypeOf(new LimitedRedis(new Redis())).toEqualTypeOf<LimitedRedis<Redis>>();
    expectTypeOf(new LimitedRedis(new Cluster([7000]))).toEqualTypeOf<LimitedRedis<Cluster>>();
    class Tenants extends Redis {
      readonly tenant: string;
      constructor(tenant: string, port: number) {
        super(port);
        this.tenant = tenant;
      }
      async [Symbol.asyncDispose](): Promise<void> {
        await this.quit();
      }
    }
    const tenants = new LimitedRedis(Tenants, {}, 'acme', 6379);
    expectTypeOf(tenants.tenant).toEqualTypeOf<string>();
    expectTypeOf(tenants).toExtend<AsyncDisposable>();
    // ioredis has none of its own, and nothing is made up.
    expectTypeOf(redis).not.toExtend<AsyncDisposable>();
  });

  test('ioredis 5', () => {
    expectTypeOf(new LimitedRedis(Redis5, {}, 6379, 'localhost')).toEqualTypeOf<LimitedRedis<Redis5>>();
    expectTypeOf(new LimitedRedis(new Redis5())).toExtend<Redis5>();
    expectTypeOf(new LimitedRedis(Cluster5, {}, [7000])).toExtend<Cluster5>();
    expectTypeOf(new LimitedRedis(Redis5).duplicate({ db: 1 })).toEqualTypeOf<LimitedRedis<Redis5>>();
    expectTypeOf(new LimitedRedis(Redis5).get('k')).toEqualTypeOf<Promise<string | null>>();
  });

  test('the shape of replies, where ioredis 6 has it in the type', () => {
    expectTypeOf(redis.hgetall('k')).toEqualTypeOf<ReturnType<Redis['hgetall']>>();
    const mapped = new LimitedRedis(new Redis({ replyMapping: 'resp3' }));
    expectTypeOf(mapped).toEqualTypeOf<LimitedRedis<Redis<'resp3'>>>();
    const told = new LimitedRedis(Redis<'resp3'>, {}, { replyMapping: 'resp3' });
    expectTypeOf(told).toEqualTypeOf<LimitedRedis<Redis<'resp3'>>>();
    const untold = new LimitedRedis(Redis, {}, { replyMapping: 'resp3' });
    // Only the class knows how to tell them apart.
    expectTypeOf(untold).toEqualTypeOf<LimitedRedis<InstanceType<typeof Redis>>>();
  });
});

describe('commands keep their overloads', () => {
  test('promise, callback and buffer forms', () => {
    expectTypeOf(redis.get('k')).toEqualTypeOf<Promise<string | null>>();
    expectTypeOf(redis.getBuffer('k')).toEqualTypeOf<Promise<Buffer | null>>();
    expectTypeOf(
      redis.get('k', (_error, value) => {
        expectTypeOf(value).toEqualTypeOf<string | null | undefined>();
      }),
    ).toEqualTypeOf<Promise<string | null>>();
    expectTypeOf(redis.set('k', 'v')).toEqualTypeOf<Promise<'OK'>>();
    expectTypeOf(redis.set('k', 'v', 'EX', 10, 'NX')).toEqualTypeOf<Promise<'OK' | null>>();
    expectTypeOf(redis.call('get', 'k')).toEqualTypeOf<Promise<unknown>>();
    expectTypeOf(cluster.mget('a', 'b')).toEqualTypeOf<Promise<(string | null)[]>>();
  });

  test('commands of the user’s, by module augmentation, on clients and in pipelines', () => {
    expectTypeOf(redis.addAndGet('k', 1)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(cluster.addAndGet('k', 1)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(redis.pipeline().addAndGet('k', 1).get('k')).toExtend<ChainableCommander>();
  });

  test('pipelines, transactions, streams, duplicates and events', () => {
    expectTypeOf(redis.pipeline().get('k').exec()).toEqualTypeOf<
      Promise<[error: Error | null, result: unknown][] | null>
    >();
    expectTypeOf(redis.multi({ pipeline: false })).toEqualTypeOf<Promise<'OK'>>();
    expectTypeOf(redis.multi([['get', 'k']])).toExtend<ChainableCommander>();
    expectTypeOf(redis.scanStream({ match: '*' })).toExtend<NodeJS.ReadableStream>();
    expectTypeOf(redis.duplicate({ db: 1 })).toEqualTypeOf<LimitedRedis<Redis>>();
    expectTypeOf(redis.duplicate().duplicate().limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(cluster.duplicate([], {})).toEqualTypeOf<LimitedRedis<Cluster>>();
    expectTypeOf(cluster.nodes('master')).toEqualTypeOf<Redis[]>();
    expectTypeOf(redis.duplicate({ replyMapping: 'resp3' })).toEqualTypeOf<Redis<'resp3'>>();
    const apart = new LimitedRedis(Redis, { limitDuplicates: false }, 6379);
    expectTypeOf(apart.limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(apart.duplicate()).toEqualTypeOf<Redis>();
    const existing = new LimitedRedis(new Cluster([7000]), { limitDuplicates: false });
    expectTypeOf(existing.duplicate()).toEqualTypeOf<Cluster>();
    redis.on('message', (channel, message) => {
      expectTypeOf([channel, message]).toEqualTypeOf<string[]>();
    });
  });
});

test('mistakes do not compile', () => {
  new LimitedRedis(Redis, { bulkheads: { blocking: 5 }, adaptive: { sheddable: ['pipeline'] } });
  // @ts-expect-error no such class
  new LimitedRedis(Redis, { bulkheads: { blockings: 5 } });
  // @ts-expect-error no such class
  new LimitedRedis(Redis, { adaptive: { sheddable: ['get'] } });
  // @ts-expect-error an unknown option
  new LimitedRedis(Redis, { maxConcurentOps: 5 });
  // @ts-expect-error a string is no number
  new LimitedRedis(Redis, { maxConcurrentOps: '500' });
  // @ts-expect-error ioredis' own options stand after these
  new LimitedRedis(Redis, { host: 'localhost' });
  // @ts-expect-error ioredis has no such option
  new LimitedRedis(Redis, {}, { hostname: 'localhost' });
  // @ts-expect-error a cluster needs its nodes
  new LimitedRedis(Cluster, {});
  // @ts-expect-error a pool is no client of ioredis
  new LimitedRedis(pg.Pool);
  // @ts-expect-error nor is a pipeline
  new LimitedRedis(redis.pipeline());
  // @ts-expect-error a client that exists takes no options
  new LimitedRedis(new Redis(), {}, { db: 1 });
  // @ts-expect-error one of two words
  new LimitedRedis(Redis, { blocking: 'free' });
  // @ts-expect-error from a number to a number
  new LimitedRedis(Redis, { pipelineWeight: () => 'many' });
  // @ts-expect-error the limiter is read-only
  redis.limiter = new Limiter();
  // @ts-expect-error GET answers with a string
  const value: Promise<number> = redis.get('k');
  void value;
});
