import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type RedisServer, startRedis } from '../../support/servers/redis/start-redis.js';
import { bareRedis } from './clients.js';
import { versions } from './versions.js';

export interface ServerOfItsOwn {
  readonly server: RedisServer;
  /** Connections that no limiter knows of. */
  readonly operator: Redis & AsyncDisposable;
  readonly other: Redis & AsyncDisposable;
}

/** For the tests of one file: a server that they may stop and pause, empty before each of them. */
export function serverOfItsOwn(onStarted: (given: ServerOfItsOwn) => void): void {
  let given: ServerOfItsOwn;
  beforeAll(async () => {
    const server = await startRedis({ dedicated: true, settings: { 'enable-debug-command': 'yes' } });
    const connect = () => bareRedis(versions[0]![1], server.url);
    given = { server, operator: await connect(), other: await connect() };
    onStarted(given);
  });
  afterAll(async () => {
    given.operator.disconnect();
    given.other.disconnect();
    await given.server.close();
  });
  beforeEach(async () => {
    await given.operator.flushall();
  });
}
