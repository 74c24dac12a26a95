import { redisFromBinaries } from './redis-from-binaries.js';
import { redisInContainer } from './redis-in-container.js';
import type { RedisOptions, RedisServer, RedisWay } from './redis-server.js';
import { waitForRedis } from './redis-wait.js';

export type { RedisOptions, RedisServer, RedisWay } from './redis-server.js';

const ways: Readonly<Record<RedisWay, (options: RedisOptions) => Promise<RedisServer>>> = {
  address: redisAtAddress,
  local: (options) => redisFromBinaries(options),
  container: redisInContainer,
};

const advice = `Any one of these gives a server:
  - set FLOODGATE_REDIS_URL=redis://host:port (a test that stops its server needs another way)
  - install Redis 6.2 or newer on this machine (Debian, Ubuntu: redis-server; Homebrew: redis)
  - run as root on Debian or Ubuntu: then it is installed for you
  - start Docker, or set DOCKER_HOST`;

/** A server that answers, got in the first way that works; where none does, an error that says how to get one. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const failures: Error[] = [];
  for (const way of order(options)) {
    try {
      return await ways[way](options);
    } catch (error) {
      const { message } = error as Error;
      failures.push(new Error(`${way}: ${message}`, { cause: error }));
      options.log?.(`${way}: ${message}`);
    }
  }
  const reasons = failures.map((failure) => `  - ${failure.message}`).join('\n');
  throw new AggregateError(failures, `No Redis server to be had:\n${reasons}\n${advice}`);
}

function order({ way, dedicated }: RedisOptions): RedisWay[] {
  if (way !== undefined) return [way];
  const forced = process.env.FLOODGATE_SERVERS;
  switch (forced) {
    case 'container':
    case 'local':
      return [forced];
    case 'embedded':
    case undefined:
    case '':
      break;
    default:
      throw new Error(
        `FLOODGATE_SERVERS must be local, embedded or container, got ${JSON.stringify(forced)}`,
      );
  }
  // An address that is set and does not answer is a mistake to hear of, not one to work around.
  if (process.env.FLOODGATE_REDIS_URL && !dedicated) return ['address'];
  return ['local', 'container'];
}

/** Somebody else's server: it is used, and nothing else is done to it. */
async function redisAtAddress(): Promise<RedisServer> {
  const url = process.env.FLOODGATE_REDIS_URL;
  if (!url) throw new Error('FLOODGATE_REDIS_URL is not set');
  const began = performance.now();
  const version = await waitForRedis({ url, deadlineMs: 5_000 });
  const { hostname, port } = new URL(url);
  const notOurs = async () => {
    throw new Error(`the server at ${hostname} is not ours to stop, pause or start`);
  };
  return {
    url,
    host: hostname,
    port: Number(port || 6379),
    way: 'address',
    version,
    startedInMs: Math.round(performance.now() - began),
    owned: false,
    pause: notOurs,
    resume: notOurs,
    stop: notOurs,
    start: notOurs,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
