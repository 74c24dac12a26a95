import { LimitedRedis } from 'floodgate/ioredis';
import type { Redis, RedisOptions } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { RedisServer } from '../support/servers/redis/redis-server.js';
import { expectSettled, fill, tally, times, untilReady } from './support/clients.js';
import { serverOfItsOwn } from './support/server-of-its-own.js';
import { type Ioredis, versions } from './support/versions.js';

const LIMIT = 10;
const COMMANDS = 6;

type Pipeline = ReturnType<Redis['pipeline']>;
type Make = (redis: Redis) => Pipeline;

/** ioredis' own, of which a subclass makes something else. */
interface OwnMethods {
  readonly pipeline: Make;
  readonly multi: Make;
}

let server: RedisServer;
serverOfItsOwn((given) => {
  ({ server } = given);
});

describe.each(versions)('a subclass makes the one of the other, %s', (_name, module) => {
  const { pipeline, multi } = module.Redis.prototype;
  const own: OwnMethods = {
    pipeline: (redis) => pipeline.call(redis),
    multi: (redis) => multi.call(redis) as unknown as Pipeline,
  };

  test.each<[form: string, method: 'pipeline' | 'multi', Make, operation: string]>([
    ['multi() is this.pipeline()', 'multi', (redis) => redis.pipeline(), 'pipeline'],
    ['multi() is super.pipeline()', 'multi', own.pipeline, 'pipeline'],
    ['pipeline() is this.multi()', 'pipeline', (redis) => redis.multi() as unknown as Pipeline, 'multi'],
    ['pipeline() is super.multi()', 'pipeline', own.multi, 'multi'],
    [
      'pipeline() is super.pipeline() with an exec() of its own',
      'pipeline',
      traced(own.pipeline),
      'pipeline',
    ],
    ['multi() is super.multi() with an exec() of its own', 'multi', traced(own.multi), 'multi'],
    [
      'multi() is this.pipeline() with an exec() of its own',
      'multi',
      traced((redis) => redis.pipeline()),
      'pipeline',
    ],
  ])('%s: admitted once, whole', async (_form, method, make, operation) => {
    await using client = await limitedSubclass(module, server.port, method, make);
    const { redis, limiter } = client;
    for (let round = 0; round < 3; round++) {
      const made = increments(redis[method]() as Pipeline);
      const release = fill(limiter);
      await expect(made.exec()).rejects.toMatchObject({ code: 'ERR_BACKPRESSURE', operation });
      release();
      const last = (round + 1) * COMMANDS;
      expect((await made.exec())?.at(-1)).toEqual([null, last]);
      await expectSettled(limiter);
    }
    expect(limiter.stats().classes.pipeline).toMatchObject({ admitted: 3, rejected: 3, succeeded: 3 });
  });

  test.each<[form: string, Make]>([
    ['this.multi()', (redis) => redis.multi() as unknown as Pipeline],
    ['super.multi()', own.multi],
  ])('pipeline() is %s, with auto-pipelining: each command is admitted once', async (_form, make) => {
    const options = { enableAutoPipelining: true };
    await using client = await limitedSubclass(module, server.port, 'pipeline', make, options);
    const { redis, limiter } = client;
    for (let round = 0; round < 3; round++) {
      const calls = times(LIMIT + 4, () => redis.incr('n'));
      expect(await tally(calls)).toEqual({ served: LIMIT, refused: 4, failures: [] });
      expect(await redis.get('n')).toBe(`${(round + 1) * LIMIT}`);
      await expectSettled(limiter);
    }
    expect(limiter.stats()).toMatchObject({ peakInFlight: LIMIT, rejected: 12 });
  });

  test('multi() is this.pipeline().multi(): its first exec() queues EXEC and takes nothing', async () => {
    const make: Make = (redis) => (redis.pipeline() as unknown as Redis).multi() as unknown as Pipeline;
    await using client = await limitedSubclass(module, server.port, 'multi', make);
    const { redis, limiter } = client;
    const made = increments(redis.multi() as unknown as Pipeline);
    expect(made.exec()).toBe(made);
    expect(limiter.inFlight).toBe(0);
    const answer = made.exec();
    expect(limiter.inFlight).toBe(COMMANDS);
    expect((await answer)?.at(-1)).toEqual([null, [1, 2, 3, 4, 5, 6]]);
    await expectSettled(limiter);
  });
});

function increments(pipeline: Pipeline): Pipeline {
  for (let index = 0; index < COMMANDS; index++) pipeline.incr('n');
  return pipeline;
}

function traced(make: Make): Make {
  return (redis) => {
    const pipeline = make(redis);
    const { exec } = pipeline;
    pipeline.exec = function (this: Pipeline, ...args) {
      return exec.apply(this, args);
    };
    return pipeline;
  };
}

async function limitedSubclass(
  module: Ioredis,
  port: number,
  method: 'pipeline' | 'multi',
  make: Make,
  options: RedisOptions = {},
): Promise<AsyncDisposable & { redis: LimitedRedis<Redis>; limiter: LimitedRedis['limiter'] }> {
  class Subclass extends module.Redis {}
  Object.defineProperty(Subclass.prototype, method, {
    configurable: true,
    value(this: Redis) {
      return make(this);
    },
  });
  const redis = new LimitedRedis(Subclass, { maxConcurrentOps: LIMIT }, {
    ...options,
    port,
  } as object) as unknown as LimitedRedis<Redis>;
  await untilReady(redis);
  await redis.del('n');
  return { redis, limiter: redis.limiter, [Symbol.asyncDispose]: async () => redis.disconnect() };
}
