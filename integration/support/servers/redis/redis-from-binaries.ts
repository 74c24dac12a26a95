import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRunFolder, type RunPlace } from '../shared/in-run-folder.js';
import { ownedServer } from '../shared/owned-server.js';
import type { ServerSettings } from '../shared/server.js';
import { serverUser } from '../shared/server-user.js';
import { startServerProcess } from '../shared/start-server-process.js';
import { redisArguments } from './redis-arguments.js';
import { redisBinary } from './redis-binary.js';
import { type RedisOptions, type RedisServer, type RedisStopMode, stopSignals } from './redis-server.js';
import { waitForRedis } from './wait-for-redis.js';

/**
 * A server of our own: in a fresh folder, on a free port. A failure on the way leaves nothing behind either.
 *
 * @param mode `--sentinel`: the server is one, with a configuration file that it may write to
 */
export async function redisFromBinaries(
  options: RedisOptions,
  mode: readonly string[] = [],
): Promise<RedisServer> {
  if (process.platform === 'win32') throw new Error('needs a POSIX system (signals)');
  const began = performance.now();
  const program = await redisBinary(options.log);
  const user = await serverUser(['redis']);
  return inRunFolder('floodgate-redis-', user, 'KILL', async (place) => {
    options.log?.(`local: starting ${program} as user ${user.name}`);
    const urlAt = (chosen: number) => `redis://127.0.0.1:${chosen}`;
    const started = await startServerProcess<RedisStopMode>(async (chosen) => ({
      ...place,
      name: 'Redis',
      program,
      args: await commandLine(place, chosen, options, mode),
      answers: (givenUp) => waitForRedis({ url: urlAt(chosen), deadlineMs: 30_000, givenUp }),
      portTaken: /Address already in use/,
      stopSignals,
      crash: 'crash',
      killedAfterMs: 10_000,
    }));
    const { version } = started;
    const startedInMs = Math.round(performance.now() - began);
    const at = { url: urlAt(started.port), host: '127.0.0.1', port: started.port };
    return ownedServer(
      'Redis',
      { ...at, way: 'local' as const, version, startedInMs },
      started.process,
      'save',
    );
  });
}

async function commandLine(
  { user, folder }: RunPlace,
  port: number,
  { settings = {} }: RedisOptions,
  mode: readonly string[],
): Promise<string[]> {
  const forced: ServerSettings = { port, bind: '127.0.0.1', dir: folder };
  if (mode.length === 0) return redisArguments(settings, forced);
  const file = join(folder, 'sentinel.conf');
  const lines = Object.entries({ ...settings, ...forced }).map(([name, value]) => `${name} ${value}`);
  await writeFile(file, `${lines.join('\n')}\n`);
  const { uid, gid } = user.ids;
  if (uid !== undefined && gid !== undefined) await chown(file, uid, gid);
  return [file, ...mode];
}
