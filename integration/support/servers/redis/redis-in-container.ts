import { ownedServer } from '../shared/owned-server.js';
import { serverInContainer } from '../shared/server-in-container.js';
import { redisArguments } from './redis-arguments.js';
import { type RedisOptions, type RedisServer, type RedisStopMode, stopSignals } from './redis-server.js';
import { waitForRedis } from './wait-for-redis.js';

/** A server in a container of its own, on a host port that stays the same over stop and start. */
export async function redisInContainer(options: RedisOptions): Promise<RedisServer> {
  const urlAt = (host: string, port: number) => `redis://${host}:${port}`;
  const { engine, facts } = await serverInContainer<RedisStopMode>(
    {
      image: 'redis:8-alpine',
      port: 6379,
      command: ['redis-server', ...redisArguments(options.settings ?? {}, {})],
      ready: /Ready to accept connections/,
      stopSignal: (mode) => stopSignals[mode],
      answers: (host, port, givenUp) => waitForRedis({ url: urlAt(host, port), deadlineMs: 60_000, givenUp }),
    },
    options.log,
  );
  return ownedServer('Redis', { url: urlAt(facts.host, facts.port), ...facts }, engine, 'save');
}
