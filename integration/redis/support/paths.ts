import { once } from 'node:events';
import type { Redis, RedisOptions } from 'ioredis';
import type { Ioredis } from './versions.js';

/** One way to bring a command to the server. The key holds the string `v`, or something else: then it fails. */
export interface Path {
  readonly name: string;
  readonly options?: RedisOptions;
  /** Calls it. With a key of the wrong type it rejects. */
  readonly call: (redis: Redis, key: string, module: Ioredis) => Promise<unknown>;
  /** What it takes. */
  readonly weight: number;
}

const READ = { numberOfKeys: 1, lua: 'return redis.call("get", KEYS[1])' };
const auto: RedisOptions = { enableAutoPipelining: true };

type Scripted = Redis & { readKey(key: string): Promise<unknown> };

export const paths: readonly Path[] = [
  { name: 'a method', weight: 1, call: (redis, key) => redis.get(key) },
  { name: 'a Buffer method', weight: 1, call: (redis, key) => redis.getBuffer(key) },
  { name: 'a callback', weight: 1, call: viaCallback },
  { name: 'call()', weight: 1, call: (redis, key) => redis.call('GET', key) },
  { name: 'sendCommand(new Command)', weight: 1, call: viaCommand },
  { name: 'defineCommand()', weight: 1, call: viaDefinedCommand },
  { name: 'the scripts option', weight: 1, options: { scripts: { readKey: READ } }, call: viaScript },
  { name: 'pipeline()', weight: 2, call: (redis, key) => each(redis.pipeline().get(key).get(key).exec()) },
  {
    name: 'pipeline([])',
    weight: 2,
    call: (redis, key) =>
      each(
        redis
          .pipeline([
            ['get', key],
            ['get', key],
          ])
          .exec(),
      ),
  },
  { name: 'multi()', weight: 2, call: (redis, key) => each(redis.multi().get(key).get(key).exec()) },
  { name: 'pipeline().multi()', weight: 1, call: viaInlineMulti },
  { name: 'multi({ pipeline: false })', weight: 1, call: viaManualMulti },
  { name: 'a scan stream', weight: 1, call: viaScanStream },
  { name: 'auto-pipelining', weight: 1, options: auto, call: (redis, key) => redis.get(key) },
  {
    name: 'a script, auto-pipelining',
    weight: 1,
    options: { ...auto, scripts: { readKey: READ } },
    call: viaScript,
  },
  {
    name: 'a pipeline, auto-pipelining',
    weight: 1,
    options: auto,
    call: (redis, key) => each(redis.pipeline().get(key).exec()),
  },
  {
    name: 'XREAD without BLOCK',
    weight: 1,
    call: (redis, key) => redis.xread('STREAMS', `stream-${key}`, '0'),
  },
];

function viaCallback(redis: Redis, key: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    redis.get(key, (error, value) => (error ? reject(error) : resolve(value))).catch(() => {});
  });
}

function viaCommand(redis: Redis, key: string, { Command }: Ioredis): Promise<unknown> {
  return redis.sendCommand(new Command('get', [key], { replyEncoding: 'utf8' })) as Promise<unknown>;
}

function viaDefinedCommand(redis: Redis, key: string): Promise<unknown> {
  redis.defineCommand('readKey', READ);
  return (redis as Scripted).readKey(key);
}

function viaScript(redis: Redis, key: string): Promise<unknown> {
  return (redis as Scripted).readKey(key);
}

function viaInlineMulti(redis: Redis, key: string): Promise<unknown> {
  // MULTI is there at run time, and missing in the types of pipelines.
  const pipeline = (redis.pipeline() as unknown as Redis).multi().get(key);
  // The first exec() queues EXEC, the second one sends.
  return each((pipeline.exec() as unknown as typeof pipeline).exec());
}

async function viaManualMulti(redis: Redis, key: string): Promise<unknown> {
  const answers = [redis.multi({ pipeline: false }), redis.get(key), redis.exec()];
  const failed = (await Promise.allSettled(answers)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return each(answers[2] as Promise<unknown>);
}

async function viaScanStream(redis: Redis, key: string): Promise<unknown> {
  const stream = redis.hscanStream(`hash-${key}`);
  stream.resume();
  const ended = once(stream, 'end');
  await ended;
  return undefined;
}

/** Rejects with the first error among the results. */
async function each(results: Promise<unknown>): Promise<unknown> {
  const list = ((await results) ?? []) as unknown[];
  for (const result of list) {
    const error = Array.isArray(result)
      ? (result[0] ?? (Array.isArray(result[1]) ? result[1].find((inner) => inner instanceof Error) : null))
      : null;
    if (error) throw error;
  }
  return list;
}
