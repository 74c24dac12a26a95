import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { redisBinary } from './redis-binary.js';
import { ownedRedis } from './redis-owned.js';
import { RedisPortTaken, RedisProcess } from './redis-process.js';
import { type RedisOptions, type RedisServer, type RedisSettings, redisArguments } from './redis-server.js';
import { makeRunFolder } from './run-folder.js';
import { type ServerUser, serverUser } from './server-user.js';
import { startWatchdog } from './watchdog.js';

/** `$line` holds the server's process. */
const cleanup = `
if [ -n "$line" ]; then kill -KILL $line; sleep 0.05; fi
rm -rf "$1"`;

/**
 * A server of our own: in a fresh folder, on a free port. A failure on the way leaves nothing behind either.
 *
 * @param port for a server that needs a certain one
 * @param mode `--sentinel`: the server is one, with a configuration file that it may write to
 */
export async function redisFromBinaries(
  options: RedisOptions,
  port?: number,
  mode: readonly string[] = [],
): Promise<RedisServer> {
  if (process.platform === 'win32') throw new Error('needs a POSIX system (signals)');
  const began = performance.now();
  const binary = await redisBinary(options.log);
  const user = await serverUser(['redis']);
  const folder = await makeRunFolder('floodgate-redis-', user);
  const watchdog = await startWatchdog(cleanup, folder);
  try {
    options.log?.(`local: starting ${binary} as user ${user.name}`);
    for (let attempt = 1; ; attempt++) {
      const chosen = port ?? (await freePort());
      const url = `redis://127.0.0.1:${chosen}`;
      const forced: RedisSettings = { port: chosen, bind: '127.0.0.1', dir: folder };
      const args = await commandLine(options.settings ?? {}, forced, mode, user);
      const engine = new RedisProcess({ binary, user, folder, args, url, watchdog });
      try {
        await engine.startOnce();
        const startedInMs = Math.round(performance.now() - began);
        const { version } = engine;
        return ownedRedis(
          { url, host: '127.0.0.1', port: chosen, way: 'local', version, startedInMs },
          engine,
        );
      } catch (error) {
        if (!(error instanceof RedisPortTaken) || attempt === 5) throw error;
      }
    }
  } catch (error) {
    await watchdog.release();
    throw error;
  }
}

async function commandLine(
  settings: RedisSettings,
  forced: RedisSettings,
  mode: readonly string[],
  user: ServerUser,
): Promise<string[]> {
  if (mode.length === 0) return redisArguments(settings, forced);
  const file = join(String(forced.dir), 'sentinel.conf');
  const lines = Object.entries({ ...settings, ...forced }).map(([name, value]) => `${name} ${value}`);
  await writeFile(file, `${lines.join('\n')}\n`);
  if (user.ids.uid !== undefined && user.ids.gid !== undefined) {
    await chown(file, user.ids.uid, user.ids.gid);
  }
  return [file, ...mode];
}
