import { firstWayThatWorks } from '../shared/first-way-that-works.js';
import { redisAtAddress } from './redis-at-address.js';
import { redisFromBinaries } from './redis-from-binaries.js';
import { redisInContainer } from './redis-in-container.js';
import type { RedisOptions, RedisServer } from './redis-server.js';

export type { RedisOptions, RedisServer, RedisWay } from './redis-server.js';

const advice = `Any one of these gives a server:
  - set FLOODGATE_REDIS_URL=redis://host:port (a test that stops its server needs another way)
  - install Redis 6.2 or newer on this machine (Debian, Ubuntu: redis-server; Homebrew: redis)
  - run as root on Debian or Ubuntu: then it is installed for you
  - start Docker, or set DOCKER_HOST`;

/** A server that answers, got in the first way that works; where none does, an error that says how to get one. */
export function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  return firstWayThatWorks(
    {
      name: 'Redis',
      ways: {
        address: redisAtAddress,
        local: (given: RedisOptions) => redisFromBinaries(given),
        container: redisInContainer,
      },
      addressVariable: 'FLOODGATE_REDIS_URL',
      order: {
        unset: ['address', 'local', 'container'],
        local: ['local'],
        // Of PostgreSQL only, and so it says nothing about Redis.
        embedded: ['address', 'local', 'container'],
        container: ['container'],
      },
      advice,
    },
    options,
  );
}
